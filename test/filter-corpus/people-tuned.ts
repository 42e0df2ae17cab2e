import type { Half } from './people.ts'

/** The half of the corpus of names that the filter may be tuned on. */
export const tuned: Half = {
  names: `Naomi Klein; Peter Hall; Sarah Morgan; Marcus Whitfield; Eleanor Ashworth; Declan Byrne; Saoirse Gallagher;
    Rhys Llewellyn; Morag Sutherland; Tyler Brandt; Shanice Coleman; DeShawn Pettiford; Brooke Lindqvist; Howard Stern;
    Grace Hopper; Will Hunting; Mark Rivers; Dawn Fletcher; Hope Sandoval; Rose Leclerc; April Ludgate; Austin Reeves;
    Heinz Obermeier; Liesel Brandstätter; Jürgen Vogelsang; Annegret Kuhlmann; Thorsten Ziegler; Gudrun Pfeiffer;
    Étienne Marchand; Océane Rousseau; Thibault Lefèvre; Manon Delacroix; Benoît Charpentier; Aurélie Fontaine;
    Lorenzo Bianchi; Ginevra Santoro; Alessio Ferrara; Ilaria Colombo; Ignacio Villalobos; Rocío Benítez;
    Joaquín Herrera; Xiomara Quintero; Thiago Nascimento; Beatriz Figueiredo; João Cardoso; Inês Carvalho;
    Sander van der Berg; Femke Dijkstra; Joost de Vries; Anouk Hendriks; Torbjörn Lindgren; Solveig Haugen;
    Mikkel Rasmussen; Freja Sørensen; Aino Korhonen; Eero Mäkinen; Zbigniew Kowalczyk; Agnieszka Nowak;
    Wojciech Zieliński; Jaroslav Dvořák; Zdeněk Svoboda; Ferenc Szabó; Ildikó Horváth; Bogdan Ionescu; Ioana Popescu;
    Dragan Jovanović; Milica Petrović; Yevgeny Sokolov; Lyudmila Morozova; Oksana Shevchenko; Taras Kovalenko;
    Giorgos Papadopoulos; Eleni Nikolaidou; Emre Yıldız; Elif Demir; Cem Aydın; Farhad Rahimi; Shirin Ebadi;
    Khaled Mansour; Noura Al-Rashid; Youssef Haddad; Layla bint Saeed; Tariq Siddiqui; Ayesha Qureshi; Zainab Chaudhry;
    Aarav Krishnamurthy; Lakshmi Venkatesan; Harpreet Singh; Deepika Mukherjee; Suresh Iyer; Ananya Banerjee;
    Nguyen Van Minh; Tran Thi Lan; Xiaoming Zhang; Li Na; Wang Xiuying; Chen Guangbiao; Takeshi Yamamoto;
    Sakura Tanaka; Haruki Fujimoto; Min-jun Park; Ji-woo Choi; Somchai Wongsakul; Budi Santoso; Dewi Lestari;
    Chukwuemeka Obi; Ngozi Adeyemi; Kwame Mensah; Abena Owusu; Thabo Mbeki; Nomvula Dlamini; Wanjiru Kamau;
    Abebe Bikila; Keoni Kahananui; Aroha Parata; Ludwig van Beethoven; George R. R. Martin; J. K. Rowling; Samuel L. Jackson`,
  texts: [
    'Yesterday {} signed the lease for the flat upstairs.',
    'I spoke with {} about the invoice.',
    '{} said that the results would be ready by noon.',
    'The report was written by {} and two interns.',
    'Could you ask {} to send me the slides?',
    'Attendees: {}, the auditor, and someone from sales.',
    'Our new colleague {} starts on Monday.',
    'According to {}, nothing was lost.',
    'On Tuesday, {} flew to Lisbon.',
    'She married {} in 1998.',
    'From: {}\nSubject: minutes of the meeting',
    'It was {} who found the bug.',
    'The nurse noted that {} had a fever of 39 degrees.',
    'When {} arrives, give her the keys.',
    'Best,\n{}',
    '{} is the new head of the department.',
    '- {}: will draft the contract',
    'Please pay 300 euros to {} by Friday.',
    '"{}" is how he introduced himself.',
    'cc {} and the whole team',
  ],
  surnames:
    'Whitfield Okafor Lindgren Moreau Takahashi Kowalczyk Gutiérrez Van|Dyke Abernathy O’Hara Steinbrück Rinaldi Bose Achterberg Quigley Nakashima',
  titled: [
    'Mr. {} will see you now.',
    'I have an appointment with Dr. {} at three.',
    'Please send it to Ms {}.',
    'Frau {} hat angerufen.',
    'Dear Mrs. {},\nthank you for your letter.',
  ],
  given: 'Naomi Declan Étienne Femke Agnieszka Takeshi Ngozi Lakshmi',
  alone: [
    'I asked {} about it yesterday.',
    '{} told me that the door was open.',
    'Hi {},\ncould you call me back?',
    'Is {} coming to the party?',
    'Thanks, {}',
  ],
  things: `John Hancock Tower; Peter Hall Prize; Sarah Morgan Foundation; Calvin Klein; Empire State Building; Madison Avenue;
    Victoria Station; Jackson Hole; Charlotte Airport; St. James Park; Martin Luther King Boulevard; Lincoln Memorial;
    Stanford University; Johns Hopkins University; Robert Koch Institute; Goethe University Frankfurt; Imperial College;
    Wells Fargo; Morgan Stanley; Goldman Sachs; JPMorgan Chase; Johnson Controls; Ernst & Young; Merrill Lynch;
    Martin Guitar Company; Thomas Cook Group; Ford Motor Company; Harley Davidson; Ralph Lauren; Louis Vuitton;
    Jack Daniels; Dell Inspiron; Apple Watch; Google Pixel; Windows Server; Visual Studio; Adobe Acrobat; Siemens Healthineers;
    Nobel Prize; Fields Medal; Pulitzer Prize; Turing Award; Stanley Cup; Davis Cup; Dodd-Frank Act; Sarbanes-Oxley Act;
    Affordable Care Act; Miranda Rule; Murphy’s Law; Moore’s Law; Bayes Theorem; Monte Carlo Method; Gaussian Elimination;
    Parkinson Disease; Down Syndrome; Hodgkin Lymphoma; Crohn’s Disease; Halley’s Comet; Hubble Telescope;
    Mount Everest; Lake Victoria; Hudson River; San Francisco; Los Angeles; New York; New South Wales; Buenos Aires;
    Port Elizabeth; Fort Worth; Saint Petersburg; Santa Barbara; Hurricane Katrina; Christmas Eve; Good Friday;
    Labor Day; Black Friday; World War; Cold War; United Nations; European Union; Red Cross; Supreme Court;
    Prime Minister; Vice President; Chief Executive Officer; Human Resources; Customer Success`,
  about: [
    'The {} was in the news again.',
    'We talked about the {} for an hour.',
    'Everything about {} can be read in the archive.',
    'See also: {}.',
  ],
  nobody: [
    'Monday Morning Standup moved to Wednesday Afternoon.',
    'In March and April we ship, in May and June we rest.',
    'Will the build pass? May I merge? Can Docker start?',
    'Mark the date, then Bill the client and Grant access.',
    'Terms And Conditions Apply To This Offer.',
    'Quarterly Business Review and Annual General Meeting are mandatory.',
    'How To Train Your Dragon and Gone With The Wind are films.',
    'Click Save As, then choose Print Preview from the File Menu.',
    'Install Node, Python, Ruby and Java before you begin.',
    'Amazon Web Services, Google Cloud and Microsoft Azure have outages.',
    'Charlotte, Austin and Jackson are cities; Paris, Sydney and Florence too.',
    'A Victoria sponge, an Earl Grey and a Caesar Salad, please.',
    'Ruby On Rails and Spring Boot are frameworks.',
    'Use Jersey City as the region and Madison as the fallback.',
    'Frank talk and a Rich dessert.',
    'The River Dee, the River Don and the Isle of Wight.',
    'Chapter Three: The Long Road Home.',
    'North Carolina, West Virginia and South Dakota voted.',
    'Ask Support. Tell Sales. Email Legal And Compliance.',
    'Error: Invalid Request. Reason: Missing Field.',
    'Saturday Night Live and Good Morning America are shows.',
    'Bachelor of Science, Master of Arts, Doctor of Philosophy.',
    'The Wall Street Journal and The New York Times reported it.',
    'Great Britain, Northern Ireland, Saudi Arabia, Sri Lanka, Costa Rica.',
    'Real Madrid beat Manchester United; Bayern Munich lost to Aston Villa.',
    'Deep Learning, Machine Learning and Natural Language Processing.',
    'Dear Hiring Manager, please find my résumé attached.',
    'Dear Valued Customer, your parcel is late.',
    'Kind Regards from the Front Desk Team.',
    'Happy Birthday and Merry Christmas to everyone.',
    'The Art Of War and The Joy Of Cooking are books.',
    'Grace Period Ends Soon; Hope Springs Eternal.',
    'First Name, Last Name and Date Of Birth are required fields.',
    'Full name: required. Customer: unknown.',
    'Total Amount Due, Net Price, Gross Weight, Unit Cost.',
    'Ford, Chase, Morgan, Klein and Hall are rivals of ours.',
    'We use Prometheus, Grafana, Kafka, Apollo Server and Athena Query.',
    'The Green Party and the Social Democrats form a coalition.',
    'Bloody Mary, Tom Collins and Virgin Colada are drinks.',
    'Chicken Kiev, Beef Wellington and Eggs Benedict are dishes.',
    'Set Max Tokens, Top Logprobs and Response Format.',
    'Our Lady of Lourdes and St Peter’s Basilica are churches.',
    'The Peter Principle and the Matthew Effect are well known.',
    'Jordan and Israel share the Dead Sea; Georgia borders Turkey.',
    'Die Deutsche Bahn fährt nach Bad Homburg und Frankfurt Süd.',
    'Der Bundestag und die Freie Universität Berlin liegen nah.',
    'La Banque Populaire et le Crédit Agricole ont fusionné.',
    'El Banco Santander y la Ciudad de México.',
    'Tesla Model Three, Ford Focus and Toyota Corolla are cars.',
    'Boeing, Airbus, Rolls Royce and Pratt & Whitney make things that fly.',
  ],
}
