import type { Half } from './people.ts'

/** The half of the corpus of names that nothing is tuned on. Do not look at its misses to mend the filter. */
export const heldOut: Half = {
  names: `Bernadette Huxley; Rupert Cavendish; Imogen Hargreaves; Niamh Fitzpatrick; Cormac Doyle; Angharad Pritchard;
    Fergus McAllister; Trevor Noakes; Latoya Grimes; Jamal Washington; Caitlin Overstreet; Wesley Park; Harriet Church;
    Roger Banks; Faith Okonjo; Summer Caldwell; Chase Hendricks; Ivy Compton; Jordan Peele; Chelsea Handler; Bill Withers;
    June Carter; Sydney Pollack; Detlef Schrempf; Waltraud Meier; Friedhelm Konietzka; Brigitte Hasselhoff;
    Ottmar Hitzfeld; Mechthild Großmann; Björn Engholm; Loïc Guéguen; Clémence Poésy; Gaëlle Beaumont; Yannick Perrin;
    Solène Garnier; Mathéo Dufour; Gianluca Vialli; Fiammetta Caruso; Ottavio Palumbo; Mirella Esposito;
    Rigoberto Uribe; Maribel Zapata; Efraín Cisneros; Pilar Echevarría; Anderson Teixeira; Luciana Barbosa;
    Rui Magalhães; Catarina Sequeira; Maarten van Rossem; Lieke Martens; Pieter de Hooch; Saskia Vermeulen;
    Gunnar Ekström; Astrid Nyqvist; Anders Kjær; Signe Thorup; Väinö Virtanen; Päivi Räsänen; Grzegorz Wiśniewski;
    Małgorzata Kamińska; Stanisław Wójcik; Bohumil Procházka; Květa Fialová; László Németh; Zsófia Kovács;
    Mircea Dumitrescu; Luminița Stoica; Branislav Ivanović; Vesna Marković; Arkady Volkov; Galina Vishnevskaya;
    Bohdan Tkachenko; Halyna Melnyk; Dimitrios Konstantinou; Vasiliki Georgiou; Onur Çelik; Zeynep Arslan;
    Mehrdad Tehrani; Parisa Hosseini; Bassam Khoury; Rania Al-Abdullah; Hisham El-Sayed; Salma Benali; Imran Baig;
    Mahira Naqvi; Rohan Deshpande; Meenakshi Subramaniam; Gurpreet Kaur; Sourav Ganguly; Vidya Balan; Kavita Reddy;
    Pham Quoc Bao; Le Thi Hoa; Wei Jianguo; Liu Yang; Zhao Mengting; Huang Xiaowen; Kenta Nishimura; Ayumi Hamasaki;
    Ryo Matsuda; Seo-yeon Kim; Dong-hyun Lee; Niran Chaiyasit; Agus Wijaya; Siti Rahmawati; Olumide Balogun;
    Chiamaka Eze; Kofi Asante; Akosua Boateng; Sipho Nkosi; Lindiwe Khumalo; Njeri Mwangi; Haile Tesfaye; Kalani Kealoha;
    Tane Ngata; Vincent van Gogh; Ursula K. Le Guin; C. S. Lewis; Michael B. Jordan`,
  texts: [
    'Last week {} handed in the keys.',
    'We hired {} as an accountant.',
    '{} wrote to us about the delay.',
    'The complaint of {} was forwarded to the board.',
    'Have you met {} before?',
    'Present were {}, her lawyer and the judge.',
    'My neighbour {} plays the cello.',
    'A letter for {} lies on the desk.',
    'In 2021, {} moved to Rotterdam.',
    'He was replaced by {} after the break.',
    'To: {}\nRe: your order',
    'The prize went to {} this time.',
    'We know that {} owes the bank 4,000 dollars.',
    'If {} calls, tell him that I am out.',
    'Yours sincerely,\n{}',
    '{} lives above the bakery.',
    '* {} (project lead)',
    'The account belongs to {} since January.',
    'Hello, this is {} speaking.',
    'Assigned to {}, due tomorrow.',
  ],
  surnames:
    'Cavendish Nwosu Ekström Garnier Matsuda Wiśniewski Echevarría De|Witt Thistlewood O’Rourke Großkopf Palumbo Deshpande Terpstra Molloy Hamasaki',
  titled: [
    'Prof. {} gave the lecture.',
    'The bill goes to Mrs {} this month.',
    'Ask Dr {} for a second opinion.',
    'Herr {} ist im Urlaub.',
    'Good morning Mr. {}, please take a seat.',
  ],
  given: 'Bernadette Cormac Clémence Lieke Grzegorz Kenta Chiamaka Meenakshi',
  alone: [
    'We gave {} the blue folder.',
    '{} thinks we should wait.',
    'Hello {}, here is the file.',
    'Did {} pay already?',
    'Cheers,\n{}',
  ],
  things: `Chrysler Building; Willis Tower; Rockefeller Center; Carnegie Hall; Kennedy Airport; Lloyd George Avenue;
    Queen Victoria Market; Elizabeth Street; Douglas Street; Princess Margaret Hospital; Prince Albert Museum;
    Harvey Mudd College; George Mason University; Max Planck Society; Marie Curie Fellowship; Trinity College;
    Charles Schwab; Barclays Bank; Deloitte Consulting; Johnson & Johnson; Procter & Gamble; Philip Morris International;
    Warner Brothers; Mercedes Benz; Aston Martin; Tommy Hilfiger; Marc Jacobs; Johnnie Walker; Ben & Jerry’s;
    Samsung Galaxy; Surface Pro; Amazon Echo; Power Automate; Final Cut; Oracle Database; Philips Sonicare;
    Booker Prize; Abel Prize; Grammy Award; Ryder Cup; Ballon d’Or; Victoria Cross; Glass-Steagall Act; Patriot Act;
    Clean Air Act; Megan’s Law; Ohm’s Law; Nash Equilibrium; Pythagorean Theorem; Markov Chain; Fourier Transform;
    Alzheimer’s Disease; Asperger Syndrome; Tourette Syndrome; Van Allen Belt; Webb Telescope; Doppler Effect;
    Mount Kilimanjaro; Lake Michigan; Murray River; San Diego; Las Vegas; New Orleans; Rio Grande; Monte Carlo;
    Port Moresby; Fort Lauderdale; Saint Lucia; Santa Monica; Hurricane Sandy; New Year; Ash Wednesday;
    Memorial Day; Cyber Monday; Civil War; Great Depression; World Bank; African Union; Green Peace; High Court;
    Foreign Secretary; General Manager; Chief Financial Officer; Public Relations; Data Protection`,
  about: [
    'Nobody had expected the {} to matter.',
    'They wrote a book on the {} last year.',
    'My thesis deals with {} and its history.',
    'Related topics: {}.',
  ],
  nobody: [
    'Thursday Evening Class starts in September.',
    'Between August and October nothing happens.',
    'Should Jenkins fail, restart Docker and ping Slack.',
    'Pat the dog, Rob the bank, Sue the landlord.',
    'All Rights Reserved. No Purchase Necessary.',
    'Weekly Status Report and Sprint Planning Notes are online.',
    'The Lord Of The Rings and Pulp Fiction are films.',
    'Open Task Manager, then End Process from the Details Tab.',
    'Learn Rust, Swift, Kotlin and Julia in a month.',
    'Red Hat, Open Stack and Hewlett Packard sell servers.',
    'Phoenix, Houston and Dallas are hot; Geneva, Vienna and Sofia are not.',
    'A Margherita pizza, a Napoleon cake and a Waldorf Salad.',
    'React Native and Angular Material are libraries.',
    'Choose Orlando as the site and Aurora as the backup.',
    'Grant money and a Grace period.',
    'The River Thames, the River Severn and the Isle of Man.',
    'Part Two: The Return Of The King.',
    'New Hampshire, South Carolina and West Bengal are states.',
    'Contact Sales. Call Reception. Inform Security And Facilities.',
    'Warning: Deprecated Method. Cause: Old Client.',
    'Top Gear and The Daily Show are programmes.',
    'Associate Professor, Senior Lecturer, Research Fellow.',
    'The Washington Post and The Financial Times denied it.',
    'New Zealand, South Korea, El Salvador, Burkina Faso, Sierra Leone.',
    'Inter Milan drew; Borussia Dortmund and Crystal Palace won.',
    'Reinforcement Learning, Computer Vision and Gradient Descent.',
    'Dear Admissions Committee, I am writing to apply.',
    'Dear Colleagues, the lift is broken.',
    'Warm Wishes from the Whole Office.',
    'Happy Easter and Bon Voyage to all.',
    'The Old Man And The Sea is a book, Moby Dick another.',
    'Faith Based Charities; Joy Division Records.',
    'Street Address, Postal Code and Country Of Residence are optional.',
    'Patient name: not given. Contact: pending.',
    'Sub Total, Sales Tax, Shipping Cost, Final Price.',
    'Walker, Price, Cook and Baker are trades as well.',
    'We run Jupiter Notebooks, Hadoop, Hive, Luigi Pipelines and Jasmine Tests.',
    'The Labour Party and the Christian Democrats disagreed.',
    'Long Island, Old Fashioned and Shirley Temple are drinks.',
    'Peach Melba, Oysters Rockefeller and Fettuccine Alfredo are dishes.',
    'Set Stop Sequence, Seed Value and Tool Choice.',
    'Notre Dame and Santa Maria Novella are churches.',
    'The Thomas Theorem and the Hawthorne Effect are taught.',
    'Chad and Niger share a border; Lebanon lies on the coast.',
    'Die Deutsche Post liefert nach Bad Tölz und Sankt Augustin.',
    'Das Rote Kreuz und die Technische Universität München helfen.',
    'La Poste et le Conseil Constitutionnel sont fermés.',
    'El Partido Popular y la Universidad Complutense.',
    'Honda Civic, Renault Clio and Alfa Romeo are cars.',
    'Lockheed Martin, Tupolev and McDonnell Douglas make things that fly.',
  ],
}
