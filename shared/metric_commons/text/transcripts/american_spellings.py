"""American spellings of British words, as in Whisper's English normalizer.

The table is `english.json` of openai-whisper (MIT licence, OpenAI), based on
https://www.tysto.com/uk-us-spelling-list.html. An entry such as `u=;r,rs colo flavo` is a rule, and
the beginnings of the words that follow it: in colour, colours, flavour and flavours the u is
deleted. `-` is an empty beginning. Oddities of the table are kept, such as a tag in a word, or a
phrase that no single word equals.
"""

_TABLE = """
s=z;e,ed,es,ing accessori analy anglici antagoni apologi authori bapti bastardi bowdleri brutali
canali cannibali canoni capitali carameli carboni cataly categori cauteri centrali characteri
circulari civili collectivi commerciali compartmentali computeri conceptuali contextuali criminali
critici customi demoni deodori depersonali deputi digiti economi editoriali empathi emphasi energi
epitomi eulogi evangeli exorci factori fantasi femini galvani ghettoi glamori homogeni humani
hybridi hypnoti hypothesi idoli immortali individuali industriali initiali intellectuali italici
itemi jeopardi legitimi locali magneti memoriali memori mesmeri metaboli militari minimi moderni
morali optimi ostraci overemphasi paraly particulari penali personali philosophi plagiari propagandi
psychoanaly publici radicali randomi revitali revolutioni rhapsodi romantici saniti satiri scandali
scrutini sensationali sensiti sentimentali sermoni signali sodomi solemni summari symboli tempori
tenderi terrori theori traumati triviali tyranni vandali verbali
s=z;ation,e,ed,es,ing acclimati crystalli decentrali decriminali dehumani demilitari demobili
democrati demorali denationali desensiti destabili extempori familiari finali formali fossili
fraterni globali harmoni hospitali ideali immuni institutionali internali internationali legali
liberali lioni marginali materiali maximi mechani miniaturi mobili monopoli naturali neutrali
normali oxidi passivi pasteuri pedestriani polari politici populari pressuri prioriti professionali
pulveri regulari seculari sociali standardi stigmati synchroni systemati unioni urbani vapori
victimi vulgari westerni
l=;ed,ing backpedal bedevil cancel carol cavil channel chisel cudgel dial disembowel drivel duel
enamel funnel gambol grovel impanel imperil initial label marshal parcel pedal pencil quarrel ravel
refuel remodel rival shovel shrivel signal snivel snorkel spiral squirrel stencil swivel towel trial
tunnel unravel weasel yodel
re=er;,s amphitheat calib centilit centimet epicent goit kilomet lit louv met micromet millilit
millimet mit reconnoit sab scept sepulch spect
s=z;ation,ations,e,ed,es,ing dramati externali fictionali generali nationali privati rationali
reorgani seriali speciali visuali vocali
u=;r ardo cando clango demeano disfavo fervo misbehavio ranco technicolo valo vigo
s=z;ed annuali motori rituali transistori unauthori uncivili underutili unorgani vulcani
s=z;e,ed,er,ers,es,ing breathaly liquidi moisturi proselyti sympathi synthesi womani
a=;ederast,ederasts,ediatric,ediatrician,ediatricians,ediatrics,edophile,edophiles,edophilia p
a=;ematological,ematologist,ematologists,ematology,emoglobin,emophilia,emophiliac,emophiliacs,emorrhage,emorrhaged,emorrhages,emorrhaging,emorrhoids
h
a=;emia,emic,esthesia,esthetic,esthetics,esthetist,esthetists,esthetize,esthetized,esthetizes,esthetizing
an
u=;ld,lded,lder,ldered,ldering,lders,ldier,ldiest,lding,ldings,lds,ldy,lt,lted,lting,lts mo
ugh=f;t,tboard,tboards,tier,tiest,ts,tsman,tsmanship,tsmen,tswoman,tswomen,ty dra
u=;r,rs arbo misdemeano parlo rigo savio splendo tricolo tumo vapo watercolo l=;ed bejewel bevel
dishevel gravel tassel unequal unrival untrammel s=z;ation,e,ed,er,ers,es,ing coloni equali fertili
immobili ioni stabili subsidi me=;,s aerogram centigram gram kilogram milligram program
u=;r,red,ring,rs belabo clamo discolo endeavo harbo succo ue=;,s analog catalog dialog epilog
monolog prolog =l;,s appal distil enrol enthral instil re=er; lacklust lust meag saltpet somb
l=;ed,er,ers,ing level model revel travel e=;ing ag bing glu s=z;e,ed,es,ing,ingly agoni patroni
tantali =e;red cent louv a=;emia leuk tox a=;eval medi prim c=k;,s dis videodis c=s;e,es offen
preten e=;y phon stor o=;ea diarrh gonorrh oeuvre=euver;,s man outman s=;es gas minibus
s=z;able,ation,ations,e,ed,es,ing amorti reali te=;,s epaulet omelet u=;r,rable,rably,red,ring,rs
dishono hono u=;red enamo multicolo x=ct;ion,ions conne infle =a;eological arch =e; battleax
=e;red,ring reconnoit =iz;zazz p =l;,ment,ments,s instal =l;,ment,s fulfil =l;ated crenel
=l;ation,ations cancel =o;ve,ved,ves beho =u;ge,ged,ges,ging ga =u;r glamo =ue;,s travelog a=;ea,eas
bougainvill a=;ecal,eces f a=;ecological,ecologist,ecologists,ecology gyn a=;edia,edias,edic
encyclop a=;edic,edics orthop a=;eolithic,eontologist,eontologists,eontology pal
a=;eologically,eologist,eologists arch
a=;eon,eons,esthete,esthetes,esthetic,esthetically,esthetics,etiology - a=;era,eras chim
a=;esarean,esareans c a=;esidium,esidiums pr a=;utist,utists fl aeology=eology</span>; arch
aesthetis=esthetiz;e,ed,es,ing an c=k;eptic,eptical,eptically,epticism,eptics s c=s;e,ed,es,ing
licen c=s;e,eless,es defen e=; ax e=;able lik e=;ment judg e=a;y,yed,ying,yish,yness,ys gr
e=i;fact,facts art ero=ir;plane,planes a ey=ie;s stor fe=;,s pouf g=;on,ons wag
gao=jai;l,lbird,lbirds,lbreak,lbreaks,led,ler,lers,ling,ls - h=; sheik h=;urt,urts yog ho=;urt,urts
yog i=;um alumin i=y;psies g k=;,s almanac l=;ed,er,ers jewel l=;ed,ing,ist,ists panel
l=;ed,ing,or,ors counsel l=;ed,ing,ous libel l=;ed,ing,ous,ously marvel l=;en,ens,ies,y wool
l=;er,est cruel l=;et,eted,eting,ets fil l=;i chil l=;ing,ingly gruel l=;iper,ipers,isthenics cal
l=;ity,ize,ized,izer,izers,izes,izing tranquil l=;or,ors council l=it;y tranquil le=;ry jewel led=;
pummel ling=ed; pummel lis=iz;e,ed,er,ers,es,ing tranquil m=h;mm - mh=hm;m - n=;ister,isters ban
ne=;,s ton o=;eia,eias pharmacop o=;ema ed o=;eopath,eopathic,eopaths,eopathy hom
o=;esophagus,esophaguses,estrogen - o=;etal,etid,etus,etuses f
o=;ustache,ustached,ustaches,ustachioed m oeuv=euve;rability,rable,red,ring,rings man
oeuv=euve;red,ring outman p=;ed,ing,er worship ph=f;ate,ates,ide,ides,ur,urous sul philtre=filter;,s
- qu=ck;ered che que=ck;,book,books,s che re=er;,fold,folds,piece,pieces,s cent re=er;,glass,s fib
re=er;,goer,goers,s theat re=er;ments accout s=;ed,ing bias s=;es,ing bus s=c;e,ed,es,ing practi
s=z;able,ably,ance,e,ed,es,ing recogni s=z;able,ation,e,ed,es,ing utili s=z;able,ed unrecogni
s=z;ation,ational,ations,e,ed,er,ers,es,ing organi s=z;ation,ations,e,ed,er,ers,es,ing sterili
s=z;ation,ed disorgani s=z;ement aggrandi s=z;er,ers,ing,ingly appeti s=z;ier,ies,iest,ily,iness,y
co t=;ist,ists clarinet t=led; misspel u=;ed,ing catalog u=;ld,lded,lding,lds remo
u=;lder,ldered,ldering,lders smo u=;lk,lked,lking,lks ba
u=;r,rable,rably,red,ring,rite,rites,ritism,rs favo u=;r,ral,rism,rist,rists,rs behavio
u=;r,rant,rants,red,reds,rful,rfully,ring,rize,rized,rizes,rizing,rless,rs colo
u=;r,red,rer,rers,ries,ry armo u=;r,red,rer,rers,ring,rs labo u=;r,red,ries,ring,rs,ry savo
u=;r,red,ring,rings,rless,rs,rsome flavo u=;r,red,ring,rless,rs humo u=;r,red,rs rumo
u=;r,rhood,rhoods,ring,rliness,rly,rs neighbo u=;r,rless,rs odo u=;rable,rably unfavo u=;ry unsavo
ugh=w; snowplo ugh=w;,ed,ing,man,men,s,share,shares plo ughs=w; snowplo v=;ies,y bev y=a;jama,jamas
p y=i;pher,phers c y=i;phon,phoned,phoning,phons s y=i;re,res t yne=in;,s gro ypho=iffi;n,ns gr
"""


def _spellings() -> dict[str, str]:
    """Return the American spelling of each British one."""
    table = {"flyer / flier": "flier / flyer"}
    for part in _TABLE.split():
        if "=" in part:
            change, _, endings = part.partition(";")
            british, american = change.split("=")
            continue
        start = part.replace("-", "")
        for ending in endings.split(","):
            table[f"{start}{british}{ending}"] = f"{start}{american}{ending}"
    return table


AMERICAN_SPELLINGS = _spellings()
