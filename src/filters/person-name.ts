import { firstNames } from './first-names.ts'
import { type Find, matches, type Span, unite } from './span.ts'

const word = "\\p{Lu}[\\p{L}\\p{M}'’-]{0,30}"
const particle = '(?:van der|van den|van|von|de la|de los|de|del|della|di|da|dos|du|la|le|bin|ibn|al|el|ter)'
const following = `(?: (?:${particle} )?(?:\\p{Lu}\\.(?: |(?=\\p{Lu})))?${word})`
const run = new RegExp(`(?<![\\p{L}\\p{N}_])${word}(?: \\p{Lu}\\.)?${following}{1,3}`, 'gu')
const titled = new RegExp(
  `(?<![\\p{L}\\p{N}_])(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Professor|Sir|Dame|Herr|Frau|Monsieur|Madame|Mme|Señor|Señora|Sr|Sra|Rev|Judge|Nurse)\\.? (?:Dr\\.? |\\p{Lu}\\. ?){0,2}(?:${particle} )?${word}${following}{0,2}`,
  'gu',
)
const introduced = new RegExp(
  `(?:\\b(?:[Mm]y|[Hh]er|[Hh]is|[Tt]heir|[Tt]he (?:patient|customer|client|employee|student|applicant)['’]s) (?:full |first |last |legal |maiden )?name is|\\b(?:full|first|last|customer|patient|client|employee|contact|applicant|account holder|cardholder|maiden)[ _]?[Nn]ame["']?:|\\b(?:[Ss]urname|[Ff]ull [Nn]ame|[Cc]ustomer|[Pp]atient|[Aa]ttn|[Aa]ttention|[Ss]igned|[Ss]igned by|[Dd]ear|[Ii]ch heiße|[Mm]ein Name ist|[Jj]e m['’]appelle|[Mm]e llamo)[:]?)\\s["']?(${word}${following}{0,3})`,
  'gu',
)
const yours = new RegExp(
  `(?:[Rr]egards|[Ss]incerely|[Cc]heers|[Tt]hanks|[Bb]est wishes|Grüße),?\\n{1,2}(${word}${following}{0,3})`,
  'gu',
)

/** What follows a given name in the names of places, works, prizes, firms and laws. */
const noSurname = new Set(
  `River Beach Street Avenue Road Lane Drive Park Square Bridge Hall House Hotel Hospital College University School Institute
  Museum Library Church Airport Station Island Lake Mountain Mount Valley County City Town State Center Centre Theatre
  Theater Award Awards Prize Medal Cup Trophy Inc Ltd LLC GmbH Corp Corporation Company Group Foundation Bank Holdings
  Partners Brothers Sons Studios Records Pictures Press Books Day Week Month Year Act Law Bill Rule Theorem Algorithm Effect
  Principle Code Server Cloud Studio Pro Max Mini Plus Edition Model Chair Table Desk Lamp Sofa Edwards-Method Test Score
  Deere Lewis-Partnership Hopkins Hancock-Tower Morgan Chase Fargo Daniels Walker-Whisky Foods Kors Klein Jacobs Lauren Hilfiger Benz Luther-King-Boulevard`
    .split(/\s+/)
    .filter(Boolean),
)
/** Words that begin a sentence or greet, and stand before a name without being part of it. */
const lead = new Set(
  'Dear Hi Hello Hey Ask Tell Email Call Contact Meet Meeting Thanks Thank From To With And But The A Please Did Does Has Is Was When While If As Our For Yesterday Today Both Send Forward Invite Remind Message Ping CEO CTO CFO President Senator Author Manager Director Engineer Nurse Patient Customer Client Employee'.split(
    ' ',
  ),
)
/** What follows "Dear" and "Customer:" and is no name. */
const anybody = new Set(
  'Sir Madam Sirs Team All Customer Colleague Colleagues Friend Friends Hiring Support Editor Valued Client User Members Service Support Satisfaction Success Care Portal Records Intake Data Relations Experience Journey Santa Diary Reader Readers Students Parents'.split(
    ' ',
  ),
)

/**
 * Names of people, without a model: after a title, where a text introduces or signs with one, and where a common given
 * name is followed by another capitalised word. A name in lower case, an uncommon one alone, and names in scripts without
 * capitals are not found.
 */
export const findPersonNames: Find = (text) =>
  unite([...matches(text, titled), ...captured(text, introduced), ...captured(text, yours), ...findGiven(text)])

/** The name in what a pattern matched, which is its end. */
function captured(text: string, pattern: RegExp): Span[] {
  const found: Span[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const name = match[1]!
    const end = match.index + match[0].length
    if (!anybody.has(name.split(' ')[0]!)) found.push({ start: end - name.length, end })
  }
  return found
}

/** In a run of capitalised words, the name that begins with a known given name. */
function findGiven(text: string): Span[] {
  return matches(text, run).flatMap(({ start, end }): Span[] => {
    const words = text.slice(start, end).split(' ')
    let at = start
    while (words.length > 1 && !isGiven(words[0]!)) {
      if (!lead.has(words[0]!)) return []
      at += words.shift()!.length + 1
    }
    const surname = words[1] ?? ''
    return words.length < 2 || words.slice(1).some((word) => noSurname.has(word)) || surname === ''
      ? []
      : [{ start: at, end }]
  })
}

function isGiven(word: string): boolean {
  return firstNames.has(word) || firstNames.has(word.split('-')[0]!)
}
