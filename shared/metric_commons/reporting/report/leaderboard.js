"use strict";
// Narrow screens show the name of its column beside each cell.
for (const table of document.querySelectorAll("table")) {
  const names = [...table.tHead.rows[0].cells].map((head) => head.textContent);
  for (const row of table.tBodies[0].rows) {
    [...row.cells].forEach((cell, column) => (cell.dataset.label = names[column] || "letter"));
  }
}
// A click on the head of a column sorts the rows of its table: numbers as numbers, first up, then down.
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const text = (row, column) => row.cells[column].textContent.trim();
  const number = (value) => parseFloat(value.replace(/^\[/, "").replace(/,(?=\d{3})/g, ""));
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const isUp = head.getAttribute("aria-sort") !== "ascending";
      const rows = [...body.rows];
      const areNumbers = rows.every((row) => !text(row, column) || !isNaN(number(text(row, column))));
      rows.sort((a, b) => {
        const [x, y] = [text(a, column), text(b, column)];
        if (!x || !y) return !x - !y;
        const order = areNumbers ? number(x) - number(y) : x.localeCompare(y);
        return isUp ? order : -order;
      });
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", isUp ? "ascending" : "descending");
      body.append(...rows);
    });
  });
}
