import type { Word } from './shell-words.ts'

/** An address: a line number, the last line, a pattern, or every nth line. */
const address = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\.)*/[IM]*)`
const addresses = String.raw`(?:${address}(?: ?, ?(?:${address}|[+~]\d+))? ?!? ?)?`
/** `s/a/b/g`, `y/abc/xyz/`. */
const substitution = String.raw`s([/|#,:@!%])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\]|\\[^])*\1[gpiI\d]*`
const transliteration = String.raw`y/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/`
/** Inserted text, up to the end of the line. */
const insertedText = String.raw`[aic](?:[^\n\\]|\\[^])*`
const harmlessCommand = new RegExp(
  String.raw` ?${addresses}(?:[pdDPqQ=hHgGxnNl]|${substitution}|${transliteration}|${insertedText}|[{}]|[bt:] ?\w*)? ?(?:[;\n}]|(?<=\{ ?)|$)`,
  'y',
)

/**
 * Whether a script of `sed` only changes text: it does not run commands (`e`, `s/…/…/e`), and does not read or write other
 * files.
 */
function isHarmlessSed(source: string): boolean {
  // Collapses whitespace, so that the pattern cannot backtrack over long runs of it.
  const script = source.replace(/[ \t]+/g, ' ')
  let at = 0
  while (at < script.length) {
    harmlessCommand.lastIndex = at
    const match = harmlessCommand.exec(script)
    if (!match || match[0] === '') return false
    at += match[0].length
  }
  return true
}

/** Whether `sed` with these arguments can run commands. */
export function sedRunsOthers(words: Word[]): boolean {
  const scripts: Word[] = []
  const others: Word[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    if (word === null || !/^-./.test(word)) others.push(word)
    // `--expression`, which can be abbreviated.
    else if (/^--e[xpresion]*=/.test(word)) scripts.push(word.slice(word.indexOf('=') + 1))
    else if (/^--e/.test(word)) scripts.push(words[++at] ?? null)
    // Options without a separate value. `--file` names a script, and the value of `--line-length` can be the next word.
    else if (/^--(?!f|l)/.test(word) || /^-[nErzsub]*(?:i.*)?$/.test(word)) continue
    else {
      const script = /^-[nErzsub]*e([\s\S]*)$/.exec(word)
      // A script file, or an option whose value could be mistaken for the script.
      if (!script) return true
      scripts.push(script[1] === '' ? (words[++at] ?? null) : script[1]!)
    }
  }
  // After `-i ''` of BSD, the script is the next argument.
  if (scripts.length === 0) scripts.push(...others.slice(0, others[0] === '' ? 2 : 1))
  return scripts.some((script) => script !== null && !isHarmlessSed(script))
}
