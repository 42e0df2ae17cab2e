import { type FindSpans, findMatches, mergeSpans } from '../span.ts'

const streets =
  'Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Ter|Parkway|Pkwy|Highway|Hwy|Way|Circle|Cir|Crescent|Close|Gardens|Mews|Row|Alley|Trail|Loop|Broadway'
const word = "[A-Z][A-Za-zÀ-ÿ'’-]{0,24}"
const unit = '(?:,? (?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|Fl|Room|Rm)\\.? ?#?\\w{1,6}|,? #\\w{1,6})?'
const state =
  'A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]'
const cityWords = `${word}(?: ${word}){0,2}`
const usTown = `(?:,? ${cityWords})?,? (?:${state})(?: \\d{5}(?:-\\d{4})?)?`
const ukTown = `(?:,? ${cityWords})?,? [A-Z]{1,2}\\d[A-Z\\d]? \\d[A-Z]{2}`
const town = `(?:(?:${usTown}|${ukTown})(?!\\w))?`
const englishStreet = `[A-Za-z]?(?:-\\d{1,4})? (?:(?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)\\.? )?(?:(?:${word}|\\d{1,3}(?:st|nd|rd|th)) ){1,3}(?:${streets})(?!\\w)\\.?(?: (?:N|S|E|W|NE|NW|SE|SW)(?!\\w))?${unit}${town}`
const postcode = '(?:,? \\d{4,5} [A-ZÄÖÜÀ-Þ][A-Za-zÀ-ÿ-]{1,30})?'
const germanStreet = new RegExp(
  `(?<![\\w])(?:[A-ZÄÖÜ][A-Za-zäöüß-]{1,30}(?:straße|strasse|str\\.|weg|platz|allee|gasse|ufer|damm)|(?:[A-ZÄÖÜ][a-zäöüß-]{1,24} ){1,2}(?:Straße|Strasse|Str\\.|Weg|Platz|Allee|Ufer|Damm)) \\d{1,4} ?[a-z]?(?![\\w])${postcode}`,
  'g',
)
const frenchStreet = `(?: ?(?:bis|ter))?,? (?:rue|avenue|boulevard|place|chemin|allée|impasse|quai) (?:(?:de la|de l['’]|des|du|de|d['’]) ?)?${word}(?:[ -]${word}){0,3}${postcode}`
// The lookbehind is after the first digit, because at the start it would be tested at every position.
const numberFirstStreet = new RegExp(`\\d(?<![\\w.,$€£#/-]\\d)\\d{0,4}(?:${englishStreet}|${frenchStreet})`, 'g')
const romanceStreet = new RegExp(
  `\\b(?:Calle|Avenida|Avda\\.|Plaza|Paseo|Via|Viale|Piazza|Corso|Rua) (?:(?:de la|del|de los|de|della|dei|da|do) )?${word}(?: ${word}){0,2},? \\d{1,4}(?![\\w])${postcode}`,
  'g',
)
const postBox = /(?<!\w)(?:P\.? ?O\.? ?Box|Postfach) \d{1,7}(?!\w)/g

/** Phrases with numbers and street words that are not addresses. */
const nonAddress =
  /^\d+(?:-\d+)? (?:(?:Miles|Minutes|Hours|Days|Years|Steps|More|Best|Top|Great|Other|New|Old|First|Simple|Easy) |.{0,40}(?:One Way|Best Way|Better Way|Only Way|Right Way|Third Place|First Place|Second Place|Times Table|Court Order|Hard Drive|Flash Drive|Disk Drive|SSD Drive|USB Drive|Google Drive|Test Drive|Supreme Court|High Court|District Court)\b)/

/**
 * Finds postal addresses by the form of streets, and post office boxes. The forms are a number, a name and a word such as Street
 * (English), Hauptstraße 5 (German), 12 rue de … (French), and Calle … 5 (Spanish, Italian, Portuguese). A town, state and
 * postal code on the same line are included, but are not found without a street.
 */
export const findAddresses: FindSpans = (text) =>
  mergeSpans([
    ...findMatches(text, numberFirstStreet, ({ 0: match }) => !nonAddress.test(match)),
    ...findMatches(text, germanStreet),
    ...findMatches(text, romanceStreet),
    ...findMatches(text, postBox),
  ])
