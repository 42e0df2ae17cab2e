import { type FindSpans, findMatches, mergeSpans, type Span } from '../../span.ts'
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
 * In sequences, lists of given names and surnames identify them, unless the context shows a place, a firm or a law. Names in
 * lower case, unlisted names, and names in scripts without capitals are not found.
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
  const spans: Span[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const name = match[1]!
    const end = match.index + match[0].length
    if (!genericAddressees.has(name.split(' ')[0]!)) spans.push({ start: end - name.length, end })
  }
  return spans
}

/** Finds listed names in sequences of capitalised words. */
function findListedNames(text: string): Span[] {
  const spans: Span[] = []
  capitalizedRun.lastIndex = 0
  for (let match = capitalizedRun.exec(text); match; match = capitalizedRun.exec(text)) {
    const name = findNameInRun(text, match.index, match[0])
    if (name) spans.push(name)
  }
  return spans
}

/** Returns the name in a sequence of capitalised words, without the words before and after it. */
function findNameInRun(text: string, start: number, run: string): Span | undefined {
  if (!run.includes(' ') && !run.includes('.'))
    return isSingleName(text, start, run) ? { start, end: endOfWord(start, run) } : undefined
  const runWords = splitRun(start, run)
  let leadingCount = 0
  while (leadingCount < runWords.length - 1 && isLeadingWord(runWords[leadingCount]!.word)) leadingCount++
  const words = runWords.slice(leadingCount)
  const head = words[0]!
  const span = { start: head.start - head.initialsLength, end: words.at(-1)!.end }
  if (words.length === 1) {
    const isPerson = head.initialsLength > 0 ? isSurnameAfterInitials(head) : isSingleName(text, head.start, head.word)
    return isPerson ? span : undefined
  }
  if (
    runWords.slice(0, leadingCount + 1).some(({ word }) => nonPersonPrefixes.has(word)) ||
    isNonPerson(text, words, span)
  )
    return undefined
  return isFullName(words) || hasPersonContext(text, words, span) ? span : undefined
}

/** One word of a sequence, with its position and the length of the initials before it. */
type NameWord = { word: string; start: number; end: number; initialsLength: number }

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
function isNonPerson(text: string, words: NameWord[], { start, end }: Span): boolean {
  const last = words.at(-1)!.word
  const pair = `${words[0]!.word}_${words[1]!.word}`
  if (brands.has(pair)) return true
  // After an article, as in "the Henry Ford".
  if (/(?:^|[^\p{L}])(?:the|The|der|die|das|la|El) $/u.test(text.slice(Math.max(0, start - 5), start))) return true
  // Beside an ampersand, as in names of firms.
  if (/^ ?& ?\p{Lu}/u.test(text.slice(end, end + 4)) || /& $/.test(text.slice(Math.max(0, start - 2), start)))
    return true
  const isSurnameToo =
    words.length === 2 && surnameCertainty(last) !== 'no' && givenCertainty(words[0]!.word) === 'sure'
  const isAfterPreposition = /\b(?:in|at|near|on|along) $/.test(text.slice(Math.max(0, start - 6), start))
  return words.some(
    ({ word }, i) => nonPersonSuffixes.has(word) && !(i === words.length - 1 && isSurnameToo && !isAfterPreposition),
  )
}

/** Whether two or more words are a name, by the lists of given names and surnames. */
function isFullName(words: NameWord[]): boolean {
  const first = words[0]!.word
  const last = words.at(-1)!.word
  const given = givenCertainty(first)
  const surname = surnameCertainty(last)
  if (given === 'sure') return surname !== 'no' || !isOrdinary(last)
  if (given === 'perhaps' || words[0]!.initialsLength > 0) return surname === 'sure'
  if (surname === 'sure') return !isOrdinary(first)
  // The surname can be first.
  return surnameCertainty(first) !== 'no' && givenCertainty(last) === 'sure'
}

/** The characters around a name that are searched for each kind of context. */
const contextBeforeLength = 16
const contextAfterLength = 24
const givenNameContextLength = 12

/** Whether the context identifies an uncertain name as a person. */
function hasPersonContext(text: string, words: NameWord[], { start, end }: Span): boolean {
  const [first, second] = [words[0]!.word, words[1]!.word]
  if (words.length > 3 || isOrdinary(second) || (isOrdinary(first) && givenCertainty(first) === 'no')) return false
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
