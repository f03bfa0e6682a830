"""American spellings of British words, as in Whisper's English normalizer.

The table is `english.json` of openai-whisper (MIT licence, OpenAI), based on
https://www.tysto.com/uk-us-spelling-list.html. An entry is a British word with semicolons around
what differs, and its replacement: `colo;ur=r;` is colour and color. Oddities of the table are kept,
such as a tag in a word, or a phrase that no single word equals.
"""

_TABLE = """
accessori;s=z;e accessori;s=z;ed accessori;s=z;es accessori;s=z;ing acclimati;s=z;ation
acclimati;s=z;e acclimati;s=z;ed acclimati;s=z;es acclimati;s=z;ing accout;re=er;ments ;a=;eon
;a=;eons aerogram;me=; aerogram;me=;s a;ero=ir;plane a;ero=ir;planes ;a=;esthete ;a=;esthetes
;a=;esthetic ;a=;esthetically ;a=;esthetics ;a=;etiology ag;e=;ing aggrandi;s=z;ement agoni;s=z;e
agoni;s=z;ed agoni;s=z;es agoni;s=z;ing agoni;s=z;ingly almanac;k=; almanac;k=;s alumin;i=;um
amorti;s=z;able amorti;s=z;ation amorti;s=z;ations amorti;s=z;e amorti;s=z;ed amorti;s=z;es
amorti;s=z;ing amphitheat;re=er; amphitheat;re=er;s an;a=;emia an;a=;emic an;a=;esthesia
an;a=;esthetic an;a=;esthetics an;aesthetis=esthetiz;e an;aesthetis=esthetiz;ed
an;aesthetis=esthetiz;es an;aesthetis=esthetiz;ing an;a=;esthetist an;a=;esthetists
an;a=;esthetize an;a=;esthetized an;a=;esthetizes an;a=;esthetizing analog;ue=; analog;ue=;s
analy;s=z;e analy;s=z;ed analy;s=z;es analy;s=z;ing anglici;s=z;e anglici;s=z;ed anglici;s=z;es
anglici;s=z;ing annuali;s=z;ed antagoni;s=z;e antagoni;s=z;ed antagoni;s=z;es antagoni;s=z;ing
apologi;s=z;e apologi;s=z;ed apologi;s=z;es apologi;s=z;ing appal;=l; appal;=l;s appeti;s=z;er
appeti;s=z;ers appeti;s=z;ing appeti;s=z;ingly arbo;u=;r arbo;u=;rs arch;=a;eological
arch;a=;eologically arch;a=;eologist arch;a=;eologists arch;aeology=eology</span>; ardo;u=;r
armo;u=;r armo;u=;red armo;u=;rer armo;u=;rers armo;u=;ries armo;u=;ry art;e=i;fact art;e=i;facts
authori;s=z;e authori;s=z;ed authori;s=z;es authori;s=z;ing ax;e=; backpedal;l=;ed
backpedal;l=;ing ban;n=;ister ban;n=;isters bapti;s=z;e bapti;s=z;ed bapti;s=z;es bapti;s=z;ing
bastardi;s=z;e bastardi;s=z;ed bastardi;s=z;es bastardi;s=z;ing battleax;=e; ba;u=;lk ba;u=;lked
ba;u=;lking ba;u=;lks bedevil;l=;ed bedevil;l=;ing behavio;u=;r behavio;u=;ral behavio;u=;rism
behavio;u=;rist behavio;u=;rists behavio;u=;rs beho;=o;ve beho;=o;ved beho;=o;ves bejewel;l=;ed
belabo;u=;r belabo;u=;red belabo;u=;ring belabo;u=;rs bevel;l=;ed bev;v=;ies bev;v=;y bias;s=;ed
bias;s=;ing bing;e=;ing bougainvill;a=;ea bougainvill;a=;eas bowdleri;s=z;e bowdleri;s=z;ed
bowdleri;s=z;es bowdleri;s=z;ing breathaly;s=z;e breathaly;s=z;ed breathaly;s=z;er
breathaly;s=z;ers breathaly;s=z;es breathaly;s=z;ing brutali;s=z;e brutali;s=z;ed brutali;s=z;es
brutali;s=z;ing bus;s=;es bus;s=;ing c;a=;esarean c;a=;esareans calib;re=er; calib;re=er;s
cal;l=;iper cal;l=;ipers cal;l=;isthenics canali;s=z;e canali;s=z;ed canali;s=z;es canali;s=z;ing
cancel;=l;ation cancel;=l;ations cancel;l=;ed cancel;l=;ing cando;u=;r cannibali;s=z;e
cannibali;s=z;ed cannibali;s=z;es cannibali;s=z;ing canoni;s=z;e canoni;s=z;ed canoni;s=z;es
canoni;s=z;ing capitali;s=z;e capitali;s=z;ed capitali;s=z;es capitali;s=z;ing carameli;s=z;e
carameli;s=z;ed carameli;s=z;es carameli;s=z;ing carboni;s=z;e carboni;s=z;ed carboni;s=z;es
carboni;s=z;ing carol;l=;ed carol;l=;ing catalog;ue=; catalog;u=;ed catalog;ue=;s catalog;u=;ing
cataly;s=z;e cataly;s=z;ed cataly;s=z;es cataly;s=z;ing categori;s=z;e categori;s=z;ed
categori;s=z;es categori;s=z;ing cauteri;s=z;e cauteri;s=z;ed cauteri;s=z;es cauteri;s=z;ing
cavil;l=;ed cavil;l=;ing centigram;me=; centigram;me=;s centilit;re=er; centilit;re=er;s
centimet;re=er; centimet;re=er;s centrali;s=z;e centrali;s=z;ed centrali;s=z;es centrali;s=z;ing
cent;re=er; cent;=e;red cent;re=er;fold cent;re=er;folds cent;re=er;piece cent;re=er;pieces
cent;re=er;s channel;l=;ed channel;l=;ing characteri;s=z;e characteri;s=z;ed characteri;s=z;es
characteri;s=z;ing che;que=ck; che;que=ck;book che;que=ck;books che;qu=ck;ered che;que=ck;s
chil;l=;i chim;a=;era chim;a=;eras chisel;l=;ed chisel;l=;ing circulari;s=z;e circulari;s=z;ed
circulari;s=z;es circulari;s=z;ing civili;s=z;e civili;s=z;ed civili;s=z;es civili;s=z;ing
clamo;u=;r clamo;u=;red clamo;u=;ring clamo;u=;rs clango;u=;r clarinet;t=;ist clarinet;t=;ists
collectivi;s=z;e collectivi;s=z;ed collectivi;s=z;es collectivi;s=z;ing coloni;s=z;ation
coloni;s=z;e coloni;s=z;ed coloni;s=z;er coloni;s=z;ers coloni;s=z;es coloni;s=z;ing colo;u=;r
colo;u=;rant colo;u=;rants colo;u=;red colo;u=;reds colo;u=;rful colo;u=;rfully colo;u=;ring
colo;u=;rize colo;u=;rized colo;u=;rizes colo;u=;rizing colo;u=;rless colo;u=;rs commerciali;s=z;e
commerciali;s=z;ed commerciali;s=z;es commerciali;s=z;ing compartmentali;s=z;e
compartmentali;s=z;ed compartmentali;s=z;es compartmentali;s=z;ing computeri;s=z;e
computeri;s=z;ed computeri;s=z;es computeri;s=z;ing conceptuali;s=z;e conceptuali;s=z;ed
conceptuali;s=z;es conceptuali;s=z;ing conne;x=ct;ion conne;x=ct;ions contextuali;s=z;e
contextuali;s=z;ed contextuali;s=z;es contextuali;s=z;ing co;s=z;ier co;s=z;ies co;s=z;iest
co;s=z;ily co;s=z;iness co;s=z;y council;l=;or council;l=;ors counsel;l=;ed counsel;l=;ing
counsel;l=;or counsel;l=;ors crenel;=l;ated criminali;s=z;e criminali;s=z;ed criminali;s=z;es
criminali;s=z;ing critici;s=z;e critici;s=z;ed critici;s=z;es critici;s=z;ing cruel;l=;er
cruel;l=;est crystalli;s=z;ation crystalli;s=z;e crystalli;s=z;ed crystalli;s=z;es
crystalli;s=z;ing cudgel;l=;ed cudgel;l=;ing customi;s=z;e customi;s=z;ed customi;s=z;es
customi;s=z;ing c;y=i;pher c;y=i;phers decentrali;s=z;ation decentrali;s=z;e decentrali;s=z;ed
decentrali;s=z;es decentrali;s=z;ing decriminali;s=z;ation decriminali;s=z;e decriminali;s=z;ed
decriminali;s=z;es decriminali;s=z;ing defen;c=s;e defen;c=s;eless defen;c=s;es dehumani;s=z;ation
dehumani;s=z;e dehumani;s=z;ed dehumani;s=z;es dehumani;s=z;ing demeano;u=;r demilitari;s=z;ation
demilitari;s=z;e demilitari;s=z;ed demilitari;s=z;es demilitari;s=z;ing demobili;s=z;ation
demobili;s=z;e demobili;s=z;ed demobili;s=z;es demobili;s=z;ing democrati;s=z;ation
democrati;s=z;e democrati;s=z;ed democrati;s=z;es democrati;s=z;ing demoni;s=z;e demoni;s=z;ed
demoni;s=z;es demoni;s=z;ing demorali;s=z;ation demorali;s=z;e demorali;s=z;ed demorali;s=z;es
demorali;s=z;ing denationali;s=z;ation denationali;s=z;e denationali;s=z;ed denationali;s=z;es
denationali;s=z;ing deodori;s=z;e deodori;s=z;ed deodori;s=z;es deodori;s=z;ing depersonali;s=z;e
depersonali;s=z;ed depersonali;s=z;es depersonali;s=z;ing deputi;s=z;e deputi;s=z;ed deputi;s=z;es
deputi;s=z;ing desensiti;s=z;ation desensiti;s=z;e desensiti;s=z;ed desensiti;s=z;es
desensiti;s=z;ing destabili;s=z;ation destabili;s=z;e destabili;s=z;ed destabili;s=z;es
destabili;s=z;ing dial;l=;ed dial;l=;ing dialog;ue=; dialog;ue=;s diarrh;o=;ea digiti;s=z;e
digiti;s=z;ed digiti;s=z;es digiti;s=z;ing dis;c=k; discolo;u=;r discolo;u=;red discolo;u=;ring
discolo;u=;rs dis;c=k;s disembowel;l=;ed disembowel;l=;ing disfavo;u=;r dishevel;l=;ed
dishono;u=;r dishono;u=;rable dishono;u=;rably dishono;u=;red dishono;u=;ring dishono;u=;rs
disorgani;s=z;ation disorgani;s=z;ed distil;=l; distil;=l;s dramati;s=z;ation dramati;s=z;ations
dramati;s=z;e dramati;s=z;ed dramati;s=z;es dramati;s=z;ing dra;ugh=f;t dra;ugh=f;tboard
dra;ugh=f;tboards dra;ugh=f;tier dra;ugh=f;tiest dra;ugh=f;ts dra;ugh=f;tsman dra;ugh=f;tsmanship
dra;ugh=f;tsmen dra;ugh=f;tswoman dra;ugh=f;tswomen dra;ugh=f;ty drivel;l=;ed drivel;l=;ing
duel;l=;ed duel;l=;ing economi;s=z;e economi;s=z;ed economi;s=z;es economi;s=z;ing ed;o=;ema
editoriali;s=z;e editoriali;s=z;ed editoriali;s=z;es editoriali;s=z;ing empathi;s=z;e
empathi;s=z;ed empathi;s=z;es empathi;s=z;ing emphasi;s=z;e emphasi;s=z;ed emphasi;s=z;es
emphasi;s=z;ing enamel;l=;ed enamel;l=;ing enamo;u=;red encyclop;a=;edia encyclop;a=;edias
encyclop;a=;edic endeavo;u=;r endeavo;u=;red endeavo;u=;ring endeavo;u=;rs energi;s=z;e
energi;s=z;ed energi;s=z;es energi;s=z;ing enrol;=l; enrol;=l;s enthral;=l; enthral;=l;s
epaulet;te=; epaulet;te=;s epicent;re=er; epicent;re=er;s epilog;ue=; epilog;ue=;s epitomi;s=z;e
epitomi;s=z;ed epitomi;s=z;es epitomi;s=z;ing equali;s=z;ation equali;s=z;e equali;s=z;ed
equali;s=z;er equali;s=z;ers equali;s=z;es equali;s=z;ing eulogi;s=z;e eulogi;s=z;ed eulogi;s=z;es
eulogi;s=z;ing evangeli;s=z;e evangeli;s=z;ed evangeli;s=z;es evangeli;s=z;ing exorci;s=z;e
exorci;s=z;ed exorci;s=z;es exorci;s=z;ing extempori;s=z;ation extempori;s=z;e extempori;s=z;ed
extempori;s=z;es extempori;s=z;ing externali;s=z;ation externali;s=z;ations externali;s=z;e
externali;s=z;ed externali;s=z;es externali;s=z;ing factori;s=z;e factori;s=z;ed factori;s=z;es
factori;s=z;ing f;a=;ecal f;a=;eces familiari;s=z;ation familiari;s=z;e familiari;s=z;ed
familiari;s=z;es familiari;s=z;ing fantasi;s=z;e fantasi;s=z;ed fantasi;s=z;es fantasi;s=z;ing
favo;u=;r favo;u=;rable favo;u=;rably favo;u=;red favo;u=;ring favo;u=;rite favo;u=;rites
favo;u=;ritism favo;u=;rs femini;s=z;e femini;s=z;ed femini;s=z;es femini;s=z;ing
fertili;s=z;ation fertili;s=z;e fertili;s=z;ed fertili;s=z;er fertili;s=z;ers fertili;s=z;es
fertili;s=z;ing fervo;u=;r fib;re=er; fib;re=er;glass fib;re=er;s fictionali;s=z;ation
fictionali;s=z;ations fictionali;s=z;e fictionali;s=z;ed fictionali;s=z;es fictionali;s=z;ing
fil;l=;et fil;l=;eted fil;l=;eting fil;l=;ets finali;s=z;ation finali;s=z;e finali;s=z;ed
finali;s=z;es finali;s=z;ing fl;a=;utist fl;a=;utists flavo;u=;r flavo;u=;red flavo;u=;ring
flavo;u=;rings flavo;u=;rless flavo;u=;rs flavo;u=;rsome f;o=;etal f;o=;etid f;o=;etus f;o=;etuses
formali;s=z;ation formali;s=z;e formali;s=z;ed formali;s=z;es formali;s=z;ing fossili;s=z;ation
fossili;s=z;e fossili;s=z;ed fossili;s=z;es fossili;s=z;ing fraterni;s=z;ation fraterni;s=z;e
fraterni;s=z;ed fraterni;s=z;es fraterni;s=z;ing fulfil;=l; fulfil;=l;ment fulfil;=l;s
funnel;l=;ed funnel;l=;ing galvani;s=z;e galvani;s=z;ed galvani;s=z;es galvani;s=z;ing
gambol;l=;ed gambol;l=;ing ;gao=jai;l ;gao=jai;lbird ;gao=jai;lbirds ;gao=jai;lbreak
;gao=jai;lbreaks ;gao=jai;led ;gao=jai;ler ;gao=jai;lers ;gao=jai;ling ;gao=jai;ls gas;s=;es
ga;=u;ge ga;=u;ged ga;=u;ges ga;=u;ging generali;s=z;ation generali;s=z;ations generali;s=z;e
generali;s=z;ed generali;s=z;es generali;s=z;ing ghettoi;s=z;e ghettoi;s=z;ed ghettoi;s=z;es
ghettoi;s=z;ing g;i=y;psies glamori;s=z;e glamori;s=z;ed glamori;s=z;es glamori;s=z;ing glamo;=u;r
globali;s=z;ation globali;s=z;e globali;s=z;ed globali;s=z;es globali;s=z;ing glu;e=;ing
goit;re=er; goit;re=er;s gonorrh;o=;ea gram;me=; gram;me=;s gravel;l=;ed gr;e=a;y gr;e=a;yed
gr;e=a;ying gr;e=a;yish gr;e=a;yness gr;e=a;ys grovel;l=;ed grovel;l=;ing gro;yne=in; gro;yne=in;s
gruel;l=;ing gruel;l=;ingly gr;ypho=iffi;n gr;ypho=iffi;ns gyn;a=;ecological gyn;a=;ecologist
gyn;a=;ecologists gyn;a=;ecology h;a=;ematological h;a=;ematologist h;a=;ematologists
h;a=;ematology h;a=;emoglobin h;a=;emophilia h;a=;emophiliac h;a=;emophiliacs h;a=;emorrhage
h;a=;emorrhaged h;a=;emorrhages h;a=;emorrhaging h;a=;emorrhoids harbo;u=;r harbo;u=;red
harbo;u=;ring harbo;u=;rs harmoni;s=z;ation harmoni;s=z;e harmoni;s=z;ed harmoni;s=z;es
harmoni;s=z;ing hom;o=;eopath hom;o=;eopathic hom;o=;eopaths hom;o=;eopathy homogeni;s=z;e
homogeni;s=z;ed homogeni;s=z;es homogeni;s=z;ing hono;u=;r hono;u=;rable hono;u=;rably hono;u=;red
hono;u=;ring hono;u=;rs hospitali;s=z;ation hospitali;s=z;e hospitali;s=z;ed hospitali;s=z;es
hospitali;s=z;ing humani;s=z;e humani;s=z;ed humani;s=z;es humani;s=z;ing humo;u=;r humo;u=;red
humo;u=;ring humo;u=;rless humo;u=;rs hybridi;s=z;e hybridi;s=z;ed hybridi;s=z;es hybridi;s=z;ing
hypnoti;s=z;e hypnoti;s=z;ed hypnoti;s=z;es hypnoti;s=z;ing hypothesi;s=z;e hypothesi;s=z;ed
hypothesi;s=z;es hypothesi;s=z;ing ideali;s=z;ation ideali;s=z;e ideali;s=z;ed ideali;s=z;es
ideali;s=z;ing idoli;s=z;e idoli;s=z;ed idoli;s=z;es idoli;s=z;ing immobili;s=z;ation
immobili;s=z;e immobili;s=z;ed immobili;s=z;er immobili;s=z;ers immobili;s=z;es immobili;s=z;ing
immortali;s=z;e immortali;s=z;ed immortali;s=z;es immortali;s=z;ing immuni;s=z;ation immuni;s=z;e
immuni;s=z;ed immuni;s=z;es immuni;s=z;ing impanel;l=;ed impanel;l=;ing imperil;l=;ed
imperil;l=;ing individuali;s=z;e individuali;s=z;ed individuali;s=z;es individuali;s=z;ing
industriali;s=z;e industriali;s=z;ed industriali;s=z;es industriali;s=z;ing infle;x=ct;ion
infle;x=ct;ions initiali;s=z;e initiali;s=z;ed initiali;s=z;es initiali;s=z;ing initial;l=;ed
initial;l=;ing instal;=l; instal;=l;ment instal;=l;ments instal;=l;s instil;=l; instil;=l;s
institutionali;s=z;ation institutionali;s=z;e institutionali;s=z;ed institutionali;s=z;es
institutionali;s=z;ing intellectuali;s=z;e intellectuali;s=z;ed intellectuali;s=z;es
intellectuali;s=z;ing internali;s=z;ation internali;s=z;e internali;s=z;ed internali;s=z;es
internali;s=z;ing internationali;s=z;ation internationali;s=z;e internationali;s=z;ed
internationali;s=z;es internationali;s=z;ing ioni;s=z;ation ioni;s=z;e ioni;s=z;ed ioni;s=z;er
ioni;s=z;ers ioni;s=z;es ioni;s=z;ing italici;s=z;e italici;s=z;ed italici;s=z;es italici;s=z;ing
itemi;s=z;e itemi;s=z;ed itemi;s=z;es itemi;s=z;ing jeopardi;s=z;e jeopardi;s=z;ed jeopardi;s=z;es
jeopardi;s=z;ing jewel;l=;ed jewel;l=;er jewel;l=;ers jewel;le=;ry judg;e=;ment kilogram;me=;
kilogram;me=;s kilomet;re=er; kilomet;re=er;s label;l=;ed label;l=;ing labo;u=;r labo;u=;red
labo;u=;rer labo;u=;rers labo;u=;ring labo;u=;rs lacklust;re=er; legali;s=z;ation legali;s=z;e
legali;s=z;ed legali;s=z;es legali;s=z;ing legitimi;s=z;e legitimi;s=z;ed legitimi;s=z;es
legitimi;s=z;ing leuk;a=;emia level;l=;ed level;l=;er level;l=;ers level;l=;ing libel;l=;ed
libel;l=;ing libel;l=;ous liberali;s=z;ation liberali;s=z;e liberali;s=z;ed liberali;s=z;es
liberali;s=z;ing licen;c=s;e licen;c=s;ed licen;c=s;es licen;c=s;ing lik;e=;able lioni;s=z;ation
lioni;s=z;e lioni;s=z;ed lioni;s=z;es lioni;s=z;ing liquidi;s=z;e liquidi;s=z;ed liquidi;s=z;er
liquidi;s=z;ers liquidi;s=z;es liquidi;s=z;ing lit;re=er; lit;re=er;s locali;s=z;e locali;s=z;ed
locali;s=z;es locali;s=z;ing louv;re=er; louv;=e;red louv;re=er;s lust;re=er; magneti;s=z;e
magneti;s=z;ed magneti;s=z;es magneti;s=z;ing man;oeuv=euve;rability man;oeuv=euve;rable
man;oeuvre=euver; man;oeuv=euve;red man;oeuvre=euver;s man;oeuv=euve;ring man;oeuv=euve;rings
marginali;s=z;ation marginali;s=z;e marginali;s=z;ed marginali;s=z;es marginali;s=z;ing
marshal;l=;ed marshal;l=;ing marvel;l=;ed marvel;l=;ing marvel;l=;ous marvel;l=;ously
materiali;s=z;ation materiali;s=z;e materiali;s=z;ed materiali;s=z;es materiali;s=z;ing
maximi;s=z;ation maximi;s=z;e maximi;s=z;ed maximi;s=z;es maximi;s=z;ing meag;re=er;
mechani;s=z;ation mechani;s=z;e mechani;s=z;ed mechani;s=z;es mechani;s=z;ing medi;a=;eval
memoriali;s=z;e memoriali;s=z;ed memoriali;s=z;es memoriali;s=z;ing memori;s=z;e memori;s=z;ed
memori;s=z;es memori;s=z;ing mesmeri;s=z;e mesmeri;s=z;ed mesmeri;s=z;es mesmeri;s=z;ing
metaboli;s=z;e metaboli;s=z;ed metaboli;s=z;es metaboli;s=z;ing met;re=er; met;re=er;s
micromet;re=er; micromet;re=er;s militari;s=z;e militari;s=z;ed militari;s=z;es militari;s=z;ing
milligram;me=; milligram;me=;s millilit;re=er; millilit;re=er;s millimet;re=er; millimet;re=er;s
miniaturi;s=z;ation miniaturi;s=z;e miniaturi;s=z;ed miniaturi;s=z;es miniaturi;s=z;ing
minibus;s=;es minimi;s=z;e minimi;s=z;ed minimi;s=z;es minimi;s=z;ing misbehavio;u=;r
misdemeano;u=;r misdemeano;u=;rs misspel;t=led; mit;re=er; mit;re=er;s mobili;s=z;ation
mobili;s=z;e mobili;s=z;ed mobili;s=z;es mobili;s=z;ing model;l=;ed model;l=;er model;l=;ers
model;l=;ing moderni;s=z;e moderni;s=z;ed moderni;s=z;es moderni;s=z;ing moisturi;s=z;e
moisturi;s=z;ed moisturi;s=z;er moisturi;s=z;ers moisturi;s=z;es moisturi;s=z;ing monolog;ue=;
monolog;ue=;s monopoli;s=z;ation monopoli;s=z;e monopoli;s=z;ed monopoli;s=z;es monopoli;s=z;ing
morali;s=z;e morali;s=z;ed morali;s=z;es morali;s=z;ing motori;s=z;ed mo;u=;ld mo;u=;lded
mo;u=;lder mo;u=;ldered mo;u=;ldering mo;u=;lders mo;u=;ldier mo;u=;ldiest mo;u=;lding
mo;u=;ldings mo;u=;lds mo;u=;ldy mo;u=;lt mo;u=;lted mo;u=;lting mo;u=;lts m;o=;ustache
m;o=;ustached m;o=;ustaches m;o=;ustachioed multicolo;u=;red nationali;s=z;ation
nationali;s=z;ations nationali;s=z;e nationali;s=z;ed nationali;s=z;es nationali;s=z;ing
naturali;s=z;ation naturali;s=z;e naturali;s=z;ed naturali;s=z;es naturali;s=z;ing neighbo;u=;r
neighbo;u=;rhood neighbo;u=;rhoods neighbo;u=;ring neighbo;u=;rliness neighbo;u=;rly neighbo;u=;rs
neutrali;s=z;ation neutrali;s=z;e neutrali;s=z;ed neutrali;s=z;es neutrali;s=z;ing
normali;s=z;ation normali;s=z;e normali;s=z;ed normali;s=z;es normali;s=z;ing odo;u=;r
odo;u=;rless odo;u=;rs ;o=;esophagus ;o=;esophaguses ;o=;estrogen offen;c=s;e offen;c=s;es
omelet;te=; omelet;te=;s optimi;s=z;e optimi;s=z;ed optimi;s=z;es optimi;s=z;ing organi;s=z;ation
organi;s=z;ational organi;s=z;ations organi;s=z;e organi;s=z;ed organi;s=z;er organi;s=z;ers
organi;s=z;es organi;s=z;ing orthop;a=;edic orthop;a=;edics ostraci;s=z;e ostraci;s=z;ed
ostraci;s=z;es ostraci;s=z;ing outman;oeuvre=euver; outman;oeuv=euve;red outman;oeuvre=euver;s
outman;oeuv=euve;ring overemphasi;s=z;e overemphasi;s=z;ed overemphasi;s=z;es overemphasi;s=z;ing
oxidi;s=z;ation oxidi;s=z;e oxidi;s=z;ed oxidi;s=z;es oxidi;s=z;ing p;a=;ederast p;a=;ederasts
p;a=;ediatric p;a=;ediatrician p;a=;ediatricians p;a=;ediatrics p;a=;edophile p;a=;edophiles
p;a=;edophilia pal;a=;eolithic pal;a=;eontologist pal;a=;eontologists pal;a=;eontology panel;l=;ed
panel;l=;ing panel;l=;ist panel;l=;ists paraly;s=z;e paraly;s=z;ed paraly;s=z;es paraly;s=z;ing
parcel;l=;ed parcel;l=;ing parlo;u=;r parlo;u=;rs particulari;s=z;e particulari;s=z;ed
particulari;s=z;es particulari;s=z;ing passivi;s=z;ation passivi;s=z;e passivi;s=z;ed
passivi;s=z;es passivi;s=z;ing pasteuri;s=z;ation pasteuri;s=z;e pasteuri;s=z;ed pasteuri;s=z;es
pasteuri;s=z;ing patroni;s=z;e patroni;s=z;ed patroni;s=z;es patroni;s=z;ing patroni;s=z;ingly
pedal;l=;ed pedal;l=;ing pedestriani;s=z;ation pedestriani;s=z;e pedestriani;s=z;ed
pedestriani;s=z;es pedestriani;s=z;ing penali;s=z;e penali;s=z;ed penali;s=z;es penali;s=z;ing
pencil;l=;ed pencil;l=;ing personali;s=z;e personali;s=z;ed personali;s=z;es personali;s=z;ing
pharmacop;o=;eia pharmacop;o=;eias philosophi;s=z;e philosophi;s=z;ed philosophi;s=z;es
philosophi;s=z;ing ;philtre=filter; ;philtre=filter;s phon;e=;y plagiari;s=z;e plagiari;s=z;ed
plagiari;s=z;es plagiari;s=z;ing plo;ugh=w; plo;ugh=w;ed plo;ugh=w;ing plo;ugh=w;man plo;ugh=w;men
plo;ugh=w;s plo;ugh=w;share plo;ugh=w;shares polari;s=z;ation polari;s=z;e polari;s=z;ed
polari;s=z;es polari;s=z;ing politici;s=z;ation politici;s=z;e politici;s=z;ed politici;s=z;es
politici;s=z;ing populari;s=z;ation populari;s=z;e populari;s=z;ed populari;s=z;es
populari;s=z;ing pouf;fe=; pouf;fe=;s practi;s=c;e practi;s=c;ed practi;s=c;es practi;s=c;ing
pr;a=;esidium pr;a=;esidiums pressuri;s=z;ation pressuri;s=z;e pressuri;s=z;ed pressuri;s=z;es
pressuri;s=z;ing preten;c=s;e preten;c=s;es prim;a=;eval prioriti;s=z;ation prioriti;s=z;e
prioriti;s=z;ed prioriti;s=z;es prioriti;s=z;ing privati;s=z;ation privati;s=z;ations
privati;s=z;e privati;s=z;ed privati;s=z;es privati;s=z;ing professionali;s=z;ation
professionali;s=z;e professionali;s=z;ed professionali;s=z;es professionali;s=z;ing program;me=;
program;me=;s prolog;ue=; prolog;ue=;s propagandi;s=z;e propagandi;s=z;ed propagandi;s=z;es
propagandi;s=z;ing proselyti;s=z;e proselyti;s=z;ed proselyti;s=z;er proselyti;s=z;ers
proselyti;s=z;es proselyti;s=z;ing psychoanaly;s=z;e psychoanaly;s=z;ed psychoanaly;s=z;es
psychoanaly;s=z;ing publici;s=z;e publici;s=z;ed publici;s=z;es publici;s=z;ing pulveri;s=z;ation
pulveri;s=z;e pulveri;s=z;ed pulveri;s=z;es pulveri;s=z;ing pummel;led=; pummel;ling=ed;
p;y=a;jama p;y=a;jamas p;=iz;zazz quarrel;l=;ed quarrel;l=;ing radicali;s=z;e radicali;s=z;ed
radicali;s=z;es radicali;s=z;ing ranco;u=;r randomi;s=z;e randomi;s=z;ed randomi;s=z;es
randomi;s=z;ing rationali;s=z;ation rationali;s=z;ations rationali;s=z;e rationali;s=z;ed
rationali;s=z;es rationali;s=z;ing ravel;l=;ed ravel;l=;ing reali;s=z;able reali;s=z;ation
reali;s=z;ations reali;s=z;e reali;s=z;ed reali;s=z;es reali;s=z;ing recogni;s=z;able
recogni;s=z;ably recogni;s=z;ance recogni;s=z;e recogni;s=z;ed recogni;s=z;es recogni;s=z;ing
reconnoit;re=er; reconnoit;=e;red reconnoit;re=er;s reconnoit;=e;ring refuel;l=;ed refuel;l=;ing
regulari;s=z;ation regulari;s=z;e regulari;s=z;ed regulari;s=z;es regulari;s=z;ing remodel;l=;ed
remodel;l=;ing remo;u=;ld remo;u=;lded remo;u=;lding remo;u=;lds reorgani;s=z;ation
reorgani;s=z;ations reorgani;s=z;e reorgani;s=z;ed reorgani;s=z;es reorgani;s=z;ing revel;l=;ed
revel;l=;er revel;l=;ers revel;l=;ing revitali;s=z;e revitali;s=z;ed revitali;s=z;es
revitali;s=z;ing revolutioni;s=z;e revolutioni;s=z;ed revolutioni;s=z;es revolutioni;s=z;ing
rhapsodi;s=z;e rhapsodi;s=z;ed rhapsodi;s=z;es rhapsodi;s=z;ing rigo;u=;r rigo;u=;rs
rituali;s=z;ed rival;l=;ed rival;l=;ing romantici;s=z;e romantici;s=z;ed romantici;s=z;es
romantici;s=z;ing rumo;u=;r rumo;u=;red rumo;u=;rs sab;re=er; sab;re=er;s saltpet;re=er;
saniti;s=z;e saniti;s=z;ed saniti;s=z;es saniti;s=z;ing satiri;s=z;e satiri;s=z;ed satiri;s=z;es
satiri;s=z;ing savio;u=;r savio;u=;rs savo;u=;r savo;u=;red savo;u=;ries savo;u=;ring savo;u=;rs
savo;u=;ry scandali;s=z;e scandali;s=z;ed scandali;s=z;es scandali;s=z;ing s;c=k;eptic
s;c=k;eptical s;c=k;eptically s;c=k;epticism s;c=k;eptics scept;re=er; scept;re=er;s
scrutini;s=z;e scrutini;s=z;ed scrutini;s=z;es scrutini;s=z;ing seculari;s=z;ation seculari;s=z;e
seculari;s=z;ed seculari;s=z;es seculari;s=z;ing sensationali;s=z;e sensationali;s=z;ed
sensationali;s=z;es sensationali;s=z;ing sensiti;s=z;e sensiti;s=z;ed sensiti;s=z;es
sensiti;s=z;ing sentimentali;s=z;e sentimentali;s=z;ed sentimentali;s=z;es sentimentali;s=z;ing
sepulch;re=er; sepulch;re=er;s seriali;s=z;ation seriali;s=z;ations seriali;s=z;e seriali;s=z;ed
seriali;s=z;es seriali;s=z;ing sermoni;s=z;e sermoni;s=z;ed sermoni;s=z;es sermoni;s=z;ing
sheik;h=; shovel;l=;ed shovel;l=;ing shrivel;l=;ed shrivel;l=;ing signali;s=z;e signali;s=z;ed
signali;s=z;es signali;s=z;ing signal;l=;ed signal;l=;ing smo;u=;lder smo;u=;ldered smo;u=;ldering
smo;u=;lders snivel;l=;ed snivel;l=;ing snorkel;l=;ed snorkel;l=;ing snowplo;ugh=w;
snowplo;ughs=w; sociali;s=z;ation sociali;s=z;e sociali;s=z;ed sociali;s=z;es sociali;s=z;ing
sodomi;s=z;e sodomi;s=z;ed sodomi;s=z;es sodomi;s=z;ing solemni;s=z;e solemni;s=z;ed
solemni;s=z;es solemni;s=z;ing somb;re=er; speciali;s=z;ation speciali;s=z;ations speciali;s=z;e
speciali;s=z;ed speciali;s=z;es speciali;s=z;ing spect;re=er; spect;re=er;s spiral;l=;ed
spiral;l=;ing splendo;u=;r splendo;u=;rs squirrel;l=;ed squirrel;l=;ing stabili;s=z;ation
stabili;s=z;e stabili;s=z;ed stabili;s=z;er stabili;s=z;ers stabili;s=z;es stabili;s=z;ing
standardi;s=z;ation standardi;s=z;e standardi;s=z;ed standardi;s=z;es standardi;s=z;ing
stencil;l=;ed stencil;l=;ing sterili;s=z;ation sterili;s=z;ations sterili;s=z;e sterili;s=z;ed
sterili;s=z;er sterili;s=z;ers sterili;s=z;es sterili;s=z;ing stigmati;s=z;ation stigmati;s=z;e
stigmati;s=z;ed stigmati;s=z;es stigmati;s=z;ing stor;e=;y stor;ey=ie;s subsidi;s=z;ation
subsidi;s=z;e subsidi;s=z;ed subsidi;s=z;er subsidi;s=z;ers subsidi;s=z;es subsidi;s=z;ing
succo;u=;r succo;u=;red succo;u=;ring succo;u=;rs sul;ph=f;ate sul;ph=f;ates sul;ph=f;ide
sul;ph=f;ides sul;ph=f;ur sul;ph=f;urous summari;s=z;e summari;s=z;ed summari;s=z;es
summari;s=z;ing swivel;l=;ed swivel;l=;ing symboli;s=z;e symboli;s=z;ed symboli;s=z;es
symboli;s=z;ing sympathi;s=z;e sympathi;s=z;ed sympathi;s=z;er sympathi;s=z;ers sympathi;s=z;es
sympathi;s=z;ing synchroni;s=z;ation synchroni;s=z;e synchroni;s=z;ed synchroni;s=z;es
synchroni;s=z;ing synthesi;s=z;e synthesi;s=z;ed synthesi;s=z;er synthesi;s=z;ers synthesi;s=z;es
synthesi;s=z;ing s;y=i;phon s;y=i;phoned s;y=i;phoning s;y=i;phons systemati;s=z;ation
systemati;s=z;e systemati;s=z;ed systemati;s=z;es systemati;s=z;ing tantali;s=z;e tantali;s=z;ed
tantali;s=z;es tantali;s=z;ing tantali;s=z;ingly tassel;l=;ed technicolo;u=;r tempori;s=z;e
tempori;s=z;ed tempori;s=z;es tempori;s=z;ing tenderi;s=z;e tenderi;s=z;ed tenderi;s=z;es
tenderi;s=z;ing terrori;s=z;e terrori;s=z;ed terrori;s=z;es terrori;s=z;ing theat;re=er;
theat;re=er;goer theat;re=er;goers theat;re=er;s theori;s=z;e theori;s=z;ed theori;s=z;es
theori;s=z;ing ton;ne=; ton;ne=;s towel;l=;ed towel;l=;ing tox;a=;emia tranquil;lis=iz;e
tranquil;lis=iz;ed tranquil;lis=iz;er tranquil;lis=iz;ers tranquil;lis=iz;es tranquil;lis=iz;ing
tranquil;l=;ity tranquil;l=;ize tranquil;l=;ized tranquil;l=;izer tranquil;l=;izers
tranquil;l=;izes tranquil;l=;izing tranquil;l=it;y transistori;s=z;ed traumati;s=z;e
traumati;s=z;ed traumati;s=z;es traumati;s=z;ing travel;l=;ed travel;l=;er travel;l=;ers
travel;l=;ing travelog;=ue; travelog;=ue;s trial;l=;ed trial;l=;ing tricolo;u=;r tricolo;u=;rs
triviali;s=z;e triviali;s=z;ed triviali;s=z;es triviali;s=z;ing tumo;u=;r tumo;u=;rs tunnel;l=;ed
tunnel;l=;ing tyranni;s=z;e tyranni;s=z;ed tyranni;s=z;es tyranni;s=z;ing t;y=i;re t;y=i;res
unauthori;s=z;ed uncivili;s=z;ed underutili;s=z;ed unequal;l=;ed unfavo;u=;rable unfavo;u=;rably
unioni;s=z;ation unioni;s=z;e unioni;s=z;ed unioni;s=z;es unioni;s=z;ing unorgani;s=z;ed
unravel;l=;ed unravel;l=;ing unrecogni;s=z;able unrecogni;s=z;ed unrival;l=;ed unsavo;u=;ry
untrammel;l=;ed urbani;s=z;ation urbani;s=z;e urbani;s=z;ed urbani;s=z;es urbani;s=z;ing
utili;s=z;able utili;s=z;ation utili;s=z;e utili;s=z;ed utili;s=z;es utili;s=z;ing valo;u=;r
vandali;s=z;e vandali;s=z;ed vandali;s=z;es vandali;s=z;ing vapori;s=z;ation vapori;s=z;e
vapori;s=z;ed vapori;s=z;es vapori;s=z;ing vapo;u=;r vapo;u=;rs verbali;s=z;e verbali;s=z;ed
verbali;s=z;es verbali;s=z;ing victimi;s=z;ation victimi;s=z;e victimi;s=z;ed victimi;s=z;es
victimi;s=z;ing videodis;c=k; videodis;c=k;s vigo;u=;r visuali;s=z;ation visuali;s=z;ations
visuali;s=z;e visuali;s=z;ed visuali;s=z;es visuali;s=z;ing vocali;s=z;ation vocali;s=z;ations
vocali;s=z;e vocali;s=z;ed vocali;s=z;es vocali;s=z;ing vulcani;s=z;ed vulgari;s=z;ation
vulgari;s=z;e vulgari;s=z;ed vulgari;s=z;es vulgari;s=z;ing wag;g=;on wag;g=;ons watercolo;u=;r
watercolo;u=;rs weasel;l=;ed weasel;l=;ing westerni;s=z;ation westerni;s=z;e westerni;s=z;ed
westerni;s=z;es westerni;s=z;ing womani;s=z;e womani;s=z;ed womani;s=z;er womani;s=z;ers
womani;s=z;es womani;s=z;ing wool;l=;en wool;l=;ens wool;l=;ies wool;l=;y worship;p=;ed
worship;p=;ing worship;p=;er yodel;l=;ed yodel;l=;ing yog;ho=;urt yog;ho=;urts yog;h=;urt
yog;h=;urts ;mh=hm;m ;m=h;mm
"""


def _spellings() -> dict[str, str]:
    """Return the American spelling of each British one."""
    table = {"flyer / flier": "flier / flyer"}
    for entry in _TABLE.split():
        start, change, end = entry.split(";")
        british, american = change.split("=")
        table[f"{start}{british}{end}"] = f"{start}{american}{end}"
    return table


AMERICAN_SPELLINGS = _spellings()
