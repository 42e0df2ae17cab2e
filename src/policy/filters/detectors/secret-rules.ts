import { readFileSync } from 'node:fs'
import { once } from '#platform/async/once.ts'
import type { Span } from '../span.ts'

/** One rule of `secret-rules/gitleaks.json`. */
export type SecretRule = {
  id: string
  /** One of them, in whatever case, is where the pattern begins. */
  keywords: string[]
  /** Its first group, or else all of it, is the secret. Not anchored; in syntax that RE2 knows as well. */
  pattern: string
  flags?: 'i'
  /** Bits a character, from below. */
  entropy?: number
  /** The keyword is the name that a value of no particular form is assigned to. */
  named?: true
}

type Ready = { regex: RegExp; leastEntropy: number; needsDigit: boolean }

const ready = once(() => {
  const rules = secretRules()
  const byKeyword = new Map<string, Ready[]>()
  for (const { keywords, pattern, flags = '', entropy = 0, named = false } of rules) {
    const rule = {
      regex: new RegExp(pattern, `y${flags}d`),
      leastEntropy: named ? Math.max(entropy, 3) : entropy,
      needsDigit: named,
    }
    for (const keyword of keywords.map((word) => word.toLowerCase())) {
      byKeyword.set(keyword, [...(byKeyword.get(keyword) ?? []), rule])
    }
  }
  // In order, for the engine shares what they begin with; from the end, so that the longer of two that begin alike is taken.
  const words = [...byKeyword.keys()].sort().reverse()
  for (const word of words) {
    for (const shorter of words) {
      if (word !== shorter && word.startsWith(shorter)) byKeyword.get(word)!.push(...byKeyword.get(shorter)!)
    }
  }
  const any = words.map(literally).join('|')
  // Two patterns: together, as `(?:\b|(?<=_))`, they take thrice the time.
  return { byKeyword, starts: [new RegExp(`\\b(?:${any})`, 'gi'), new RegExp(`(?<=_)(?:${any})`, 'gi')] }
})

export function secretRules(): SecretRule[] {
  return JSON.parse(readFileSync(new URL('./secret-rules/gitleaks.json', import.meta.url), 'utf8'))
}

/**
 * Matches of the rules for single issuers. A rule is tried only where one of its keywords begins a word or follows a
 * `_`. The matches have no order and may overlap.
 */
export function findByRules(text: string): Span[] {
  const { byKeyword, starts } = ready()
  const found: Span[] = []
  for (const keyword of text.includes('_') ? starts : starts.slice(0, 1)) {
    keyword.lastIndex = 0
    for (let match = keyword.exec(text); match; match = keyword.exec(text)) {
      const span = findAt(byKeyword.get(match[0].toLowerCase())!, text, match.index)
      // The next keyword may begin within this one.
      keyword.lastIndex = span ? span.end : match.index + 1
      if (span) found.push(span)
    }
  }
  return found
}

function findAt(rules: Ready[], text: string, at: number): Span | undefined {
  for (const { regex, leastEntropy, needsDigit } of rules) {
    regex.lastIndex = at
    const match = regex.exec(text)
    if (!match) continue
    const [start, end] = match.indices![match[1] === undefined ? 0 : 1]!
    const secret = text.slice(start, end)
    if (entropy(secret) > leastEntropy && (!needsDigit || /\d/.test(secret))) return { start, end }
  }
  return undefined
}

/** Bits a character, as often as each occurs. */
export function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0)
}

function literally(word: string): string {
  return word.replace(/[.~]/g, '\\$&')
}
