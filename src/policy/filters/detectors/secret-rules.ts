import { readFileSync } from 'node:fs'
import { once } from '#platform/async/once.ts'
import type { Span } from '../span.ts'

/** One rule of `secret-rules/gitleaks.json`. */
type SecretRule = {
  id: string
  /** The pattern starts with one of these, ignoring case. */
  keywords: string[]
  /** The secret is the first group, or else the whole match. Not anchored; in syntax that RE2 supports. */
  pattern: string
  flags?: 'i'
  /** The minimum entropy in bits per character. */
  entropy?: number
  /** The keyword is the name of a variable, and the value has no specific form. */
  named?: true
}

/** The entropy above which a text looks random, in bits per character. Words have less. */
export const minRandomEntropy = 3

type CompiledRule = { regex: RegExp; minEntropy: number; needsDigit: boolean }

const compiledRules = once(() => {
  const rules = secretRules()
  const byKeyword = new Map<string, CompiledRule[]>()
  for (const { keywords, pattern, flags = '', entropy = 0, named = false } of rules) {
    const rule = {
      regex: new RegExp(pattern, `y${flags}d`),
      minEntropy: named ? Math.max(entropy, minRandomEntropy) : entropy,
      needsDigit: named,
    }
    for (const keyword of keywords.map((word) => word.toLowerCase())) {
      byKeyword.set(keyword, [...(byKeyword.get(keyword) ?? []), rule])
    }
  }
  // Sorted, because the engine shares common prefixes; reversed, so that the longer of two keywords matches first.
  const words = [...byKeyword.keys()].sort().reverse()
  for (const word of words) {
    for (const shorter of words) {
      if (word !== shorter && word.startsWith(shorter)) byKeyword.get(word)!.push(...byKeyword.get(shorter)!)
    }
  }
  const anyKeyword = words.map(escapeForPattern).join('|')
  // Two patterns, because one with `(?:\b|(?<=_))` takes three times as long.
  return {
    byKeyword,
    keywordPatterns: [new RegExp(`\\b(?:${anyKeyword})`, 'gi'), new RegExp(`(?<=_)(?:${anyKeyword})`, 'gi')],
  }
})

export function secretRules(): SecretRule[] {
  return JSON.parse(readFileSync(new URL('./secret-rules/gitleaks.json', import.meta.url), 'utf8'))
}

/**
 * Applies the rules of issuers. A rule is tried only where one of its keywords starts a word or follows a `_`. The matches
 * are unordered and can overlap.
 */
export function findIssuedSecrets(text: string): Span[] {
  const { byKeyword, keywordPatterns } = compiledRules()
  const spans: Span[] = []
  for (const pattern of text.includes('_') ? keywordPatterns : keywordPatterns.slice(0, 1)) {
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const span = findSecretAt(byKeyword.get(match[0].toLowerCase())!, text, match.index)
      // The next keyword can start within this one.
      pattern.lastIndex = span ? span.end : match.index + 1
      if (span) spans.push(span)
    }
  }
  return spans
}

function findSecretAt(rules: CompiledRule[], text: string, at: number): Span | undefined {
  for (const { regex, minEntropy, needsDigit } of rules) {
    regex.lastIndex = at
    const match = regex.exec(text)
    if (!match) continue
    const [start, end] = match.indices![match[1] === undefined ? 0 : 1]!
    const secret = text.slice(start, end)
    if (entropy(secret) > minEntropy && (!needsDigit || /\d/.test(secret))) return { start, end }
  }
  return undefined
}

/** The Shannon entropy of the characters, in bits per character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0)
}

function escapeForPattern(word: string): string {
  return word.replace(/[.~]/g, '\\$&')
}
