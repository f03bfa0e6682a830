"""What people read: tables of systems, leaderboards, pages and plots."""
