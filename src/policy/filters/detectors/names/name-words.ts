import { readFileSync } from 'node:fs'
import { once } from '#platform/async/once.ts'

/** A sorted list of words. A set for each initial is built at its first use, within a millisecond. */
class WordList {
  readonly #text: string
  readonly #byInitial = new Map<string, ReadonlySet<string>>()

  constructor(name: string) {
    this.#text = `\n${readFileSync(new URL(`./${name}.txt`, import.meta.url), 'utf8')}`
  }

  has(word: string): boolean {
    const initial = word.charAt(0)
    let words = this.#byInitial.get(initial)
    if (!words) {
      const first = this.#text.indexOf(`\n${initial}`)
      const last = this.#text.lastIndexOf(`\n${initial}`)
      words = new Set(first === -1 ? [] : this.#text.slice(first + 1, this.#text.indexOf('\n', last + 1)).split('\n'))
      this.#byInitial.set(initial, words)
    }
    return words.has(word)
  }
}

/** 28,000 names, loaded when the first text is checked. `README.md` lists their sources. */
const lists = once(() => ({
  given: new WordList('given-names'),
  surnames: new WordList('surnames'),
  ordinary: new WordList('ordinary-words'),
}))

/** Given names that are also months, places, brands or virtues, and surnames that are also places or firms. */
const ambiguousNames = new Set(
  `April May June August Summer Autumn Winter Dawn Hope Grace Faith Joy Will Mark Bill Rich Art Grant Miles Chase Chance
  Rose Lily Ivy Holly Amber Ruby Pearl Jade Olive Iris Daisy Ginger Crystal Penny Sandy Rusty Misty Star Sky River Page
  Guy Dean Earl Duke King Prince Major Judge Sue Pat Rob Ray Drew Max Christian Angel Jesus Trinity Destiny Harmony Melody
  Jordan Chelsea Paris London Sydney Florence Vienna Sofia Geneva Milan Orlando Aurora Phoenix Houston Dallas Austin
  Madison Jackson Lincoln Washington Virginia Georgia Carolina Savannah Charlotte Victoria Troy Kent Chad India China
  America Israel Kenya Asia Brooklyn Boston Denver Eden Mercedes Tesla Tiffany Chanel Dior Athena Apollo Jupiter Venus
  Luna Sol Ford Dell Ross Kelly Real Inter Mesa Costa Port Norte Sur San Santa Santo Saint St Monte Monday Friday Sunday
  March October Easter Noel Christmas Google Amazon Oracle Jenkins Docker Kafka Ruby Julia Swift Java Python Basic Cherry
  Berlin Frankfurt Hamburg Heidelberg Stanford Oxford Cambridge York Wellington Windsor Essex Sussex Kingston Lima Cordoba
  Toledo Valencia Mexico Bengal Nobel Pulitzer Booker Fields Turing Abel Davis Stanley Imperial General Royal National
  Nation Mars Mercury Saturn Harley Ernst Victory Art Bay Banks Wells Hyde Monaco Cologne Normandy Lourdes Roma Carmel
  Windows Explorer Amen Brown White Green Black Gray Young Long Short Little Strong Sharp Rice Best Day Price Cook Baker`
    .split(/\s+/)
    .filter(Boolean),
)

/**
 * The certainty that a word is a given name or a surname. `sure`: it is on a list and has no other meaning. `perhaps`: it is on a
 * list and has another meaning. `no`: it is on no list.
 */
type Certainty = 'sure' | 'perhaps' | 'no'

export function givenCertainty(word: string): Certainty {
  const { given } = lists()
  if (!given.has(word) && !given.has(beforeHyphen(word)) && !givenNamePattern.test(word)) return 'no'
  return ambiguousNames.has(word) || isOrdinary(word) ? 'perhaps' : 'sure'
}

export function surnameCertainty(word: string): Certainty {
  const { surnames } = lists()
  if (!surnames.has(word) && !word.split('-').some((part) => surnames.has(part)) && !surnamePattern.test(word))
    return 'no'
  return ambiguousNames.has(word) || isOrdinary(word) ? 'perhaps' : 'sure'
}

/** Whether a capitalised word is also an ordinary word, which can be capitalised at the beginning of a sentence. */
export function isOrdinary(word: string): boolean {
  return lists().ordinary.has(word.toLowerCase())
}

/** Forms of surnames: McDonald, O'Brien, Kowalski, Petrović, Johansson, Papadopoulos, Shevchenko. */
const surnamePattern =
  /^(?:Mc\p{Lu}\p{L}+|Mac\p{Lu}\p{L}+|O['’]\p{Lu}\p{L}+|Al-\p{L}+|El-\p{L}+|\p{L}{3,}(?:ski|ska|cki|cka|ić|ović|ević|sson|sen|poulos|idis|enko|chuk|yan|shvili|dze|escu|oğlu|ová|wicz|berger|stein|mann|quist|qvist|gren|dottir|nathan|murthy|swamy|wala))$/u

/** Finals of Chinese syllables in Latin letters. */
const syllableEnd =
  '(?:iang|iong|uang|ang|eng|ing|ong|iao|ian|uai|uan|ai|ei|ao|ou|an|en|in|un|ia|ie|iu|ua|uo|ui|ue|[aeiou])'
/** Korean given names with a hyphen (Min-jun), and Chinese ones of two syllables (Xiuying, Guangbiao). */
const givenNamePattern = new RegExp(
  `^(?:\\p{Lu}\\p{Ll}{1,4}-\\p{Ll}{1,5}|(?=Zh|X|Q|[YJ][iu]|Gu)(?:Zh|[XQYJG])${syllableEnd}(?:zh|ch|sh|[bcdfghjklmnpqrstwxyz])?${syllableEnd})$`,
  'u',
)

function beforeHyphen(word: string): string {
  const at = word.indexOf('-')
  return at === -1 ? word : word.slice(0, at)
}
