const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/).filter(Boolean))

/** Words that end the name of a place, building, firm, work, prize or law, which can be named after a person. */
export const nonPersonSuffixes = words(
  `River Beach Street Avenue Road Lane Drive Boulevard Terrace Way Park Square Bridge Hall House Hotel Hospital Clinic
  College University School Academy Institute Seminary Faculty Museum Gallery Library Church Cathedral Basilica Abbey Chapel
  Temple Synagogue Mosque Airport Station Terminal Harbor Harbour Port Pier Dam Canal Island Islands Isle Lake Bay Gulf Falls
  Mountain Mountains Mount Peak Hill Hills Valley Canyon Desert Forest Garden Gardens Hole Creek Point Cape County City Town
  Village District Province State Republic Kingdom Center Centre Theatre Theater Arena Stadium Field Court Plaza Mall Market
  Tower Towers Building Castle Palace Memorial Monument Boulevard Estate Farm Ranch Cemetery Prison Fort
  Award Awards Prize Medal Cup Trophy Fellowship Scholarship Fund Foundation Trust Society Association Union Committee
  Commission Council Board Party Army Navy Club Team United League Band Orchestra Quartet Choir
  Inc Ltd LLC LLP PLC GmbH AG SA Corp Corporation Company Co Group Holding Holdings Bank Banking Partners Brothers Bros Sons
  Industries International Enterprises Associates Consulting Capital Securities Insurance Airlines Motors Motor Controls
  Stores Foods Brewery Winery Whisky Whiskey Studios Pictures Records Press Books Publishing Magazine Times Post Journal
  Herald Tribune News Show Night Live Week Day Month Year Eve War Revolution Crisis Act Bill Law Laws Code Rule Amendment
  Treaty Doctrine Agreement Accord Decision Ruling Case Theorem Lemma Conjecture Algorithm Method Effect Principle Equation
  Formula Transform Constant Distribution Process Chain Series Test Score Scale Index Model Paradox Equilibrium Elimination
  Inequality Number Function Matrix Space Group Telescope Comet Belt Probe Rover Disease Syndrome Disorder Lymphoma Palsy
  Fever Server Cloud Studio Pro Max Mini Plus Ultra Edition Watch Phone Database Client Framework Library Query Notebook
  Notebooks Pipeline Pipelines Tests Watch Machine Engine Guitar Piano Chair Table Desk Lamp Sofa Salad Cake Pizza Soup Tea
  Sandwich Cocktail Guide Report Review Plan Project Program Programme Conference Meeting Manager Director Officer Minister
  Secretary Committee Department Office Healthineers Marathon Open Championship Festival Parade Ballet Opera`,
)

/** Words that begin the name of a place, ship, storm, street or firm. */
export const nonPersonPrefixes = words(
  `Mount Lake Port Fort Cape San Santa Santo São Saint St Sankt Los Las Rio Hurricane Storm Typhoon Château Castle Rue Via
  Calle Plaza Piazza Place Hotel Maison Villa Team Club Isle River Bad Real Inter Borussia Bayern Aston Notre Monte Buenos
  New North South East West Northern Southern Eastern Western Upper Lower Great Costa Puerto Punta Sierra El Ciudad Banco
  Partido Banque Crédit Conseil Deutsche Freie Technische Universität Universidad Université University Bank Alfa Beef Chicken
  Peach Oysters Fettuccine Eggs Bloody Virgin Old Project Operation Order Model Planet Camp Ben Glen Loch Mont Pont Porte
  Tesla Toyota Honda Renault Ford Apple Google Microsoft Amazon Adobe Oracle Samsung Lockheed Boeing McDonnell Rolls Pratt
  Morning Evening Saudi Sri Burkina Dead Red Black White Hewlett Merrill Goldman Top Total`,
)

/** Firms and brands whose names are, or look like, names of persons. */
export const brands = words(
  `Calvin_Klein Louis_Vuitton Ralph_Lauren Tommy_Hilfiger Michael_Kors Marc_Jacobs Hugo_Boss Jack_Daniels Jim_Beam
  Johnnie_Walker Johnny_Walker Captain_Morgan John_Deere Wells_Fargo Morgan_Stanley JPMorgan_Chase JP_Morgan Charles_Schwab
  Philip_Morris Merrill_Lynch Goldman_Sachs Harley_Davidson Mercedes_Benz Aston_Martin Alfa_Romeo Rolls_Royce Johns_Hopkins
  Monte_Carlo Shirley_Temple Tom_Collins Victoria_Cross Eddie_Bauer Laura_Ashley Paul_Smith Elizabeth_Arden Estée_Lauder
  Yves_Rocher Mary_Kay Marie_Claire Ben_Sherman Fred_Perry Dr_Martens Jimmy_Choo Stella_Artois Papa_John Trader_Joe
  Uncle_Sam Santa_Claus Father_Christmas Dow_Jones Standard_Poor Lockheed_Martin Hewlett_Packard Ruby_Rails Big_Ben
  Buenos_Aires Abu_Dhabi Tel_Aviv Kuala_Lumpur Addis_Ababa Hong_Kong Sri_Lanka Saudi_Arabia Cape_Verde`,
)

/** Words before a name that are not part of it: beginnings of sentences, greetings, and titles of offices. */
export const leadingWords = words(
  `Dear Hi Hello Hey Ask Tell Email Call Contact Meet Meeting Thanks Thank From To With And But The A An Please Did Does Has
  Is Was When While If As Our For Yesterday Today Tomorrow Both Send Forward Invite Remind Message Ping Attendees Present
  According Hence Because Since Though Although Unless Until Where What Who Why How That This These Those CEO CTO CFO COO
  President Senator Author Manager Director Engineer Nurse Patient Customer Client Employee Chancellor Captain Sergeant
  Colonel Officer Inspector Detective Professor Doctor Coach Uncle Aunt Cousin Brother Sister Monday Tuesday Wednesday
  Thursday Friday Saturday Sunday January February March April May June July August September October November December`,
)

/** Words after "Dear" and "Customer:" that are not names. */
export const genericAddressees = words(
  `Sir Madam Sirs Team All Customer Colleague Colleagues Friend Friends Hiring Support Editor Valued Client User Members
  Service Support Satisfaction Success Care Portal Records Intake Data Relations Experience Journey Santa Diary Reader
  Readers Students Parents Admissions Committee Everyone Everybody Neighbours Neighbors Guests Residents Applicant`,
)

/** Phrases before a single given name, such as greetings and verbs with a person as object. */
export const givenNameContext =
  /(?:^|[\s"“(])(?:[Hh]i|[Hh]ello|[Hh]ey|[Tt]hanks|[Cc]heers|[Rr]egards|[Aa]sk|[Aa]sked|[Tt]ell|[Tt]old|[Mm]et|[Mm]eet|[Gg]ave|[Gg]ive|[Ii]nvited?|[Ii]s|[Dd]id|[Dd]oes|[Cc]alled|[Ee]mailed|[Tt]hanked|[Pp]aid|with|named|love),?[ \n]$/
/** Words before a name if no list has both of its parts. */
export const personContextBefore =
  /(?:\b(?:asked|told|met|married|colleague|boss|husband|wife|friend|brother|sister|mother|father|son|daughter|cousin|uncle|aunt|doctor|dentist|lawyer|teacher|author|actor|actress|singer|writer|spoke (?:with|to)|talked (?:with|to)|(?:written|signed|led|founded) by|cc|[Ff]rom:|[Tt]o:|[Cc]c:|[Aa]uthor:|[Cc]ontact:|[Aa]ssignee:)) $/
/** Phrases after a name, such as verbs with a person as subject. */
export const personContextAfter =
  /^(?:['’]s (?:wife|husband|mother|father|son|daughter|sister|brother|birthday|phone|email|address|salary)|,? (?:said|says|told|tells|asked|asks|thinks|thought|wrote|writes|called|calls|lives|lived|knows|knew|wants|wanted|likes|loves|hates|works|worked|went|met|married|died|was born|replied|answered|agreed|refused|paid|signed|moved|joined|left|will be|has been)\b)/
