import { type FindSpans, findMatches, findSpans, mergeSpans, type Span } from '../span.ts'
import { entropy, findIssuedSecrets, minRandomEntropy } from './secret-rules.ts'

/**
 * Keys with an issuer-specific format, which are found without a word beside them. The rules of `secret-rules/gitleaks.json` are
 * searched as well. No pattern needs a character after its last, unbounded part.
 */
const keyFormats = [
  'sk-(?:proj-|ant-|or-|svcacct-|admin-|lf-)?[\\w-]{20,}', // OpenAI, Anthropic, OpenRouter
  'sb-v1-[0-9a-f]{64}', // this service
  '(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}(?!\\w)', // AWS
  'gh[pousr]_[A-Za-z0-9]{36,}',
  'github_pat_\\w{22,}',
  'gl(?:pat|dt|ptt|rt)-[\\w-]{20,}',
  'xox[abeoprs]-[\\w-]{10,}', // Slack
  'xapp-\\d-[\\w-]{20,}',
  '(?:sk|rk|pk)_(?:live|test)_[0-9A-Za-z]{16,}', // Stripe
  'whsec_[\\w+/=]{20,}',
  'AIza[\\w-]{35}(?![\\w-])', // Google
  'ya29\\.[\\w-]{20,}',
  'GOCSPX-[\\w-]{20,}',
  'npm_[A-Za-z0-9]{36}(?!\\w)',
  'pypi-[\\w-]{50,}',
  'hf_[A-Za-z0-9]{30,}', // Hugging Face
  'gsk_[A-Za-z0-9]{40,}',
  'r8_[A-Za-z0-9]{37,}',
  'xai-[A-Za-z0-9]{40,}',
  'SG\\.[\\w-]{16,32}\\.[\\w-]{16,64}', // SendGrid
  'key-[0-9a-f]{32}(?!\\w)', // Mailgun
  'AC[0-9a-f]{32}(?!\\w)', // Twilio
  'do[opr]_v1_[0-9a-f]{64}',
  'dp\\.pt\\.[A-Za-z0-9]{40,}',
  'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}',
  'hv[sbr]\\.[\\w-]{24,}', // Vault
  'AGE-SECRET-KEY-1[0-9A-Z]{50,}',
  'eyJ[\\w-]{10,4096}\\.eyJ[\\w-]{10,4096}\\.[\\w-]{10,}', // JSON web tokens
].join('|')
const keyPattern = new RegExp(`(?<![\\w-])(?:${keyFormats})`, 'g')

const authorizationHeader = /\b(?:Bearer|Basic|Token) [\w.~+/-]{20,}={0,2}/gi
const passwordInUrl = /:\/\/[\w.%+-]{0,64}:([^\s:/@"'<>]{3,128})@[\w[]/g
const assignedValue =
  /(?:api[_ -]?key|secret|token|passw(?:or)?d|passphrase|pwd|credentials?|private[_ -]?key|access[_ -]?key|auth[_ -]?key|signing[_ -]?key|client[_ -]?key)(?:[_-]?(?:key|id|value|base64))?["'\]]{0,2}\s{0,3}(?:[:=]{1,2}>?|is|was)\s{0,3}["'`]?([^\s"'`,;<>(){}]{6,256})/gi
const webhookUrl = /https:\/\/(?:hooks\.slack\.com\/services|discord(?:app)?\.com\/api\/webhooks)\/[\w/-]{20,}/g

/** Values that hide or lack a secret, and the words of placeholders, which start a word of the value. */
const placeholder =
  /^(?:\*{3}|x{3}|\.{3}|\[[\w .:*-]*\]?!?$|(?:null|none|undefined|true|false|string|required|optional|missing|invalid)\b)|(?<![a-z\d])(?:your|example|changeme|change[_-]me|placeholder|redacted|dummy)/i
/** A placeholder's word in camel case, and the end of the secret keys in the documentation of AWS. */
const placeholderInside = /[a-z](?:Your|Example|ChangeMe|Placeholder|Redacted|Dummy)|EXAMPLE(?:KEY)?$/

/** Expressions that read a secret. Text with a digit between small letters is a password instead, such as `$tr0ng`. */
const secretExpression = new RegExp(
  [
    '^\\$(?:[{(]|[A-Z_][A-Z0-9_]*!?$|(?!\\w*[a-z]\\d[a-z])[A-Za-z_]\\w*(?:[.:[][\\w.:[\\]$-]*|-)?$)', // $NAME, $a.b, ${NAME}
    '^%(?:[A-Za-z_][\\w.]*%$|[sdvq]\\b|[({]|env\\()', // %NAME%, %s, %(name)s
    '^[\\w.]*(?:[Cc]onfig|[Ss]ettings|[Ss]ecrets?)\\.[A-Za-z_][\\w.[\\]?]*!?$', // config.password
    '\\bvault:',
    '\\b(?:process\\.env|os\\.environ|[Gg]etenv)\\b',
  ].join('|'),
)

const isPlaceholder = (value: string): boolean =>
  placeholder.test(value) || placeholderInside.test(value) || secretExpression.test(value)

/**
 * Finds credentials: keys in the formats of their issuers, private keys in PEM, JSON web tokens, and passwords in URLs. Also finds
 * random-looking values of names such as "password" or "api_key". Random text without such a name (a hash, an id) is not found.
 */
export const findSecrets: FindSpans = (text) => {
  const spans = [
    ...findMatches(text, keyPattern),
    ...findIssuedSecrets(text),
    ...findPrivateKeys(text),
    ...findMatches(text, webhookUrl),
    ...findAssignedValues(text),
  ]
  const headerTokens = findMatches(text, authorizationHeader).map(({ start, end }) => ({
    start: text.indexOf(' ', start) + 1,
    end,
  }))
  spans.push(...headerTokens.filter(({ start, end }) => entropy(text.slice(start, end)) > minRandomEntropy))
  if (text.includes('://')) spans.push(...findPasswordsInUrls(text))
  return mergeSpans(spans)
}

function findPasswordsInUrls(text: string): Span[] {
  return findSpans(text, passwordInUrl, ({ index, 0: match, 1: password = '' }) => {
    // The match ends with the @ and the first character of the host.
    const end = index + match.length - 2
    return isPlaceholder(password) ? undefined : { start: end - password.length, end }
  })
}

function findAssignedValues(text: string): Span[] {
  return findSpans(text, assignedValue, ({ index, 0: match, 1: written = '' }) => {
    // An exclamation mark stays: many passwords end with one, and variables in lower case do not.
    if (isPlaceholder(written.replace(/[.?\]]{1,3}$/, ''))) return undefined
    const value = written.replace(/[.!?\]]{1,3}$/, '')
    const isSecret = /passw|pwd|passphrase/i.test(match) ? looksLikePassword(value) : looksGenerated(value)
    const start = index + match.length - written.length
    return isSecret ? { start, end: start + value.length } : undefined
  })
}

const countCharacterKinds = (value: string): number =>
  [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length

/** Whether a value looks like a password, which is short and readable. */
function looksLikePassword(value: string): boolean {
  const kinds = countCharacterKinds(value)
  return kinds >= 3 || (kinds === 2 && /[\d!@#$%^&*]/.test(value) && /[A-Za-z]/.test(value))
}

/** Whether a value looks like a generated key, which is long and random. */
function looksGenerated(value: string): boolean {
  return value.length >= 16 && countCharacterKinds(value) >= 2 && /\d/.test(value) && entropy(value) > minRandomEntropy
}

const pemBegin = /-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
const pemEnd = /-----END (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
const pemBody = /(?:[A-Za-z0-9+/=\\\s:,-])*/y

/** Finds private keys from the first line to the last, or to the end of the base64 text if the last line is missing. */
function findPrivateKeys(text: string): Span[] {
  const spans: Span[] = []
  if (!text.includes('-----BEGIN ')) return spans
  const lastLines = findMatches(text, pemEnd)
  let end = 0
  let i = 0
  for (const begin of findMatches(text, pemBegin)) {
    if (begin.start < end) continue
    while (i < lastLines.length && lastLines[i]!.start < begin.end) i++
    pemBody.lastIndex = begin.end
    end = lastLines[i]?.end ?? begin.end + (pemBody.exec(text)?.[0].trimEnd().length ?? 0)
    spans.push({ start: begin.start, end })
  }
  return spans
}
