import { type FindSpans, findMatches, findSpans, mergeSpans, type Span } from '../../span.ts'
import {
  brands,
  genericAddressees,
  givenNameContext,
  leadingWords,
  nonPersonPrefixes,
  nonPersonSuffixes,
  personContextAfter,
  personContextBefore,
} from './name-context.ts'
import { givenCertainty, isOrdinary, surnameCertainty } from './name-words.ts'

const capitalizedWord = "\\p{Lu}[\\p{L}\\p{M}'’-]{0,30}"
const particle =
  '(?:van der|van den|van de|van|von der|von|zu|de la|de los|de las|de|del|della|di|da|das|do|dos|du|la|le|bin|bint|ibn|al|el|ter|ten|af|y)'
const initials = '(?:\\p{Lu}\\.(?: |(?=\\p{Lu}))){1,3}'
const followingWord = `(?: (?:${particle} )?(?:${initials})?${capitalizedWord})`
const capitalizedRun = new RegExp(
  `(?<![\\p{L}\\p{N}_@#/-])(?:${initials})?${capitalizedWord}${followingWord}{0,5}`,
  'gu',
)
const titledName = new RegExp(
  `(?<![\\p{L}\\p{N}_])(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Professor|Sir|Dame|Herr|Frau|Monsieur|Madame|Mme|Señor|Señora|Sr|Sra|Rev|Judge|Nurse)\\.? (?:Dr\\.? |\\p{Lu}\\. ?){0,2}(?:${particle} )?${capitalizedWord}${followingWord}{0,2}`,
  'gu',
)
const introducedName = new RegExp(
  `(?:\\b(?:[Mm]y|[Hh]er|[Hh]is|[Tt]heir|[Tt]he (?:patient|customer|client|employee|student|applicant)['’]s) (?:full |first |last |legal |maiden )?name is|\\b(?:full|first|last|customer|patient|client|employee|contact|applicant|account holder|cardholder|maiden)[ _]?[Nn]ame["']?:|\\b(?:[Ss]urname|[Ff]ull [Nn]ame|[Cc]ustomer|[Pp]atient|[Aa]ttn|[Aa]ttention|[Ss]igned|[Ss]igned by|[Dd]ear|[Ii]ch heiße|[Mm]ein Name ist|[Jj]e m['’]appelle|[Mm]e llamo)[:]?)\\s["']?(${capitalizedWord}${followingWord}{0,3})`,
  'gu',
)
const signature = new RegExp(
  `(?:[Rr]egards|[Ss]incerely|[Cc]heers|[Tt]hanks|[Bb]est wishes|[Bb]est|Grüße),?\\n{1,2}((?:${initials})?${capitalizedWord}${followingWord}{0,3})`,
  'gu',
)

/**
 * Finds names of people without a model: after a title, in introductions and signatures, and in sequences of capitalised words.
 * In sequences, lists of given names and surnames identify them. If the context shows a place, a firm or a law, the sequence is not
 * a name. Names in lower case, unlisted names, and names in scripts without capitals are not found.
 */
export const findPersonNames: FindSpans = (text) =>
  mergeSpans([
    ...findMatches(text, titledName),
    ...findCaptured(text, introducedName),
    ...(text.includes('\n') ? findCaptured(text, signature) : []),
    ...findListedNames(text),
  ])

/** Returns the name at the end of each match of a pattern. */
function findCaptured(text: string, pattern: RegExp): Span[] {
  return findSpans(text, pattern, ({ index, 0: match, 1: name = '' }) => {
    const [firstWord = ''] = name.split(' ')
    const end = index + match.length
    return genericAddressees.has(firstWord) ? undefined : { start: end - name.length, end }
  })
}

/** Finds listed names in sequences of capitalised words. */
function findListedNames(text: string): Span[] {
  return findSpans(text, capitalizedRun, ({ index, 0: run }) => findNameInRun(text, index, run))
}

/** Returns the name in a sequence of capitalised words, without the words before and after it. */
function findNameInRun(text: string, start: number, run: string): Span | undefined {
  if (!run.includes(' ') && !run.includes('.'))
    return isSingleName(text, start, run) ? { start, end: endOfWord(start, run) } : undefined
  const runWords = splitRun(start, run)
  const firstNameWord = runWords.findIndex(({ word }) => !isLeadingWord(word))
  // If all words can be leading ones, the last one is examined as a name.
  const leadingCount = firstNameWord === -1 ? runWords.length - 1 : firstNameWord
  const [first, second, ...others] = runWords.slice(leadingCount)
  if (!first) return undefined
  const nameStart = first.start - first.initialsLength
  if (!second) {
    const isPerson =
      first.initialsLength > 0 ? isSurnameAfterInitials(first) : isSingleName(text, first.start, first.word)
    return isPerson ? { start: nameStart, end: first.end } : undefined
  }
  const name: FullName = { first, second, last: others.at(-1) ?? second, words: [first, second, ...others] }
  const span = { start: nameStart, end: name.last.end }
  if (runWords.slice(0, leadingCount + 1).some(({ word }) => nonPersonPrefixes.has(word))) return undefined
  if (isNonPerson(text, name, span)) return undefined
  return isFullName(name) || hasPersonContext(text, name, span) ? span : undefined
}

/** One word of a sequence, with its position and the length of the initials before it. */
type NameWord = { word: string; start: number; end: number; initialsLength: number }

/** Two or more words that can be a name. */
type FullName = { first: NameWord; second: NameWord; last: NameWord; words: readonly NameWord[] }

/** Returns the words that can be names, up to a possessive, without particles and initials. */
function splitRun(start: number, run: string): NameWord[] {
  const runWords: NameWord[] = []
  let at = start
  let initialsLength = 0
  for (const piece of run.split(' ')) {
    const word = piece.slice(piece.lastIndexOf('.') + 1)
    const from = at + piece.length - word.length
    at += piece.length + 1
    if (word === '') initialsLength += piece.length + 1
    // Particles such as `van` start with a small letter.
    else if (!/^[a-z]/.test(word)) {
      const end = endOfWord(from, word)
      runWords.push({
        word: word.slice(0, end - from),
        start: from,
        end,
        initialsLength: initialsLength + piece.length - word.length,
      })
      if (end < from + word.length) break
      initialsLength = 0
    }
  }
  return runWords
}

/** The end of a word without its possessive "'s". */
function endOfWord(start: number, word: string): number {
  return start + word.replace(/['’]s$/, '').length
}

/** Whether a word at the beginning of a sequence is not part of the name. */
function isLeadingWord(word: string): boolean {
  return leadingWords.has(word) ? !givenNameMonths.has(word) : isOrdinary(word) && givenCertainty(word) === 'no'
}

/** The months that are also given names. */
const givenNameMonths = new Set(['April', 'May', 'June', 'August'])

/** Whether the words or their context show a place, a firm, a work or a law. */
function isNonPerson(text: string, { first, second, last, words }: FullName, { start, end }: Span): boolean {
  if (brands.has(`${first.word}_${second.word}`)) return true
  // After an article, as in "the Henry Ford".
  if (/(?:^|[^\p{L}])(?:the|The|der|die|das|la|El) $/u.test(text.slice(Math.max(0, start - 5), start))) return true
  // Beside an ampersand, as in names of firms.
  if (/^ ?& ?\p{Lu}/u.test(text.slice(end, end + 4)) || /& $/.test(text.slice(Math.max(0, start - 2), start)))
    return true
  const isSurnameToo =
    words.length === 2 && surnameCertainty(last.word) !== 'no' && givenCertainty(first.word) === 'sure'
  const isAfterPreposition = /\b(?:in|at|near|on|along) $/.test(text.slice(Math.max(0, start - 6), start))
  return words.some(
    (each) => nonPersonSuffixes.has(each.word) && !(each === last && isSurnameToo && !isAfterPreposition),
  )
}

/** Whether two or more words are a name, by the lists of given names and surnames. */
function isFullName({ first, last }: FullName): boolean {
  const given = givenCertainty(first.word)
  const surname = surnameCertainty(last.word)
  if (given === 'sure') return surname !== 'no' || !isOrdinary(last.word)
  if (given === 'perhaps' || first.initialsLength > 0) return surname === 'sure'
  if (surname === 'sure') return !isOrdinary(first.word)
  // The surname can be first.
  return surnameCertainty(first.word) !== 'no' && givenCertainty(last.word) === 'sure'
}

/** The characters around a name that are searched for each kind of context. */
const contextBeforeLength = 16
const contextAfterLength = 24
const givenNameContextLength = 12

/** Whether the context identifies an uncertain name as a person. */
function hasPersonContext(text: string, { first, second, words }: FullName, { start, end }: Span): boolean {
  if (words.length > 3 || isOrdinary(second.word)) return false
  if (isOrdinary(first.word) && givenCertainty(first.word) === 'no') return false
  return (
    personContextAfter.test(text.slice(end, end + contextAfterLength)) ||
    personContextBefore.test(text.slice(Math.max(0, start - contextBeforeLength), start))
  )
}

/** Whether the word after initials is a surname. After two initials, every word counts that is not an ordinary one. */
function isSurnameAfterInitials({ word, initialsLength }: NameWord): boolean {
  return initialsLength > 'A. '.length ? !isOrdinary(word) : surnameCertainty(word) === 'sure'
}

/** Whether a single word is a name: a given name in a context that identifies a person. */
function isSingleName(text: string, start: number, run: string): boolean {
  const end = endOfWord(start, run)
  if (givenCertainty(run.slice(0, end - start)) !== 'sure') return false
  return (
    personContextAfter.test(text.slice(end, end + contextAfterLength)) ||
    givenNameContext.test(text.slice(Math.max(0, start - givenNameContextLength), start))
  )
}
