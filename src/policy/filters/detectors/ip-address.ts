import { isIPv6 } from 'node:net'
import { type FindSpans, findMatches, mergeSpans, type Span, textBefore } from '../span.ts'

const octet = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)'
const ipv4Pattern = new RegExp(`(?<![\\w.-])${octet}(?:\\.${octet}){3}(?:/(?:3[0-2]|[12]?\\d))?(?![\\w-]|\\.\\w)`, 'g')
const versionPrefix =
  /(?:\b(?:v|ver|vers|version|versions|release|released|build|firmware|sdk|driver|upgrade(?:d)? to|update(?:d)? to|section|chapter|clause|oid|rfc|§)[\s.:=v]{0,3}|[a-z]\/|[=~<>!]=\s?|[~^])$/
const colonPair = /:[0-9A-Fa-f]{0,4}:/g
/** More characters than the longest IPv6 address (45), with the punctuation around it. */
const maxRunLength = 60
const addressStart = new RegExp(`[0-9A-Fa-f:.]{0,${maxRunLength}}$`)
const addressEnd = /[0-9A-Fa-f:.]*/y
const zoneAndPrefixLength = /(?:%[\w.-]{1,16})?(?:\/\d{1,3})?/y

/**
 * Finds IPv4 addresses and IPv6 addresses in every form of RFC 4291, with prefix length or zone. Four numbers after words
 * such as "version" or "section", or after the name of a program (`Chrome/120.0.0.0`), are not addresses.
 */
export const findIpAddresses: FindSpans = (text) => {
  const ipv4 = findMatches(text, ipv4Pattern, ({ 0: address, index }) => {
    // An octet has no leading zero; parts of versions and dates can have one.
    if (/(?:^|\.)0\d/.test(address)) return false
    return !versionPrefix.test(textBefore(text, index, 16))
  })
  return text.includes(':') ? mergeSpans([...ipv4, ...findIPv6(text)]) : ipv4
}

function findIPv6(text: string): Span[] {
  const spans: Span[] = []
  let searchedTo = 0
  colonPair.lastIndex = 0
  for (let match = colonPair.exec(text); match; match = colonPair.exec(text)) {
    const prefix = addressStart.exec(text.slice(Math.max(searchedTo, match.index - maxRunLength), match.index))![0]
    addressEnd.lastIndex = match.index
    const run = prefix + addressEnd.exec(text)![0]
    const span = parseIPv6Run(text, match.index - prefix.length, run)
    if (span) spans.push(span)
    searchedTo = colonPair.lastIndex = match.index - prefix.length + run.length
  }
  return spans
}

function parseIPv6Run(text: string, start: number, run: string): Span | undefined {
  if (run.length > maxRunLength) return undefined
  // Punctuation can follow the address, and a label or a colon can precede it.
  const candidate = run.replace(/(?:[.]|(?<!:):)$/, '').replace(/^(?:\.+|:(?!:))/, '')
  const from = start + run.indexOf(candidate)
  const end = from + candidate.length
  if (/\w/.test(text[from - 1] ?? '') || /\w/.test(text[end] ?? '')) return undefined
  // `dead::beef` can be a name in a program, and so can `::`.
  if (!/\d/.test(candidate) || !isIPv6(candidate)) return undefined
  zoneAndPrefixLength.lastIndex = end
  return { start: from, end: end + (zoneAndPrefixLength.exec(text)?.[0].length ?? 0) }
}
