import { zhipuStatuses } from './numeric-codes.ts'

/** Names of the fields with the status of an error as a number. */
const statusNames = ['code', 'status', 'status_code', 'http_code', 'http_status'] as const
/** Names of the fields with the code of an error as a word. */
const wordNames = ['code', 'type', 'status'] as const

/** The statuses of error codes, types and exceptions, without underscores and in lower case. */
const statusOfWord = new Map(
  Object.entries({
    400: [
      'invalidrequest',
      'invalidprompt',
      'contextlengthexceeded',
      'badrequest',
      'invalidargument',
      'validation',
      'invalidparameter',
      'contentfilter',
      'contentpolicyviolation',
      'datainspectionfailed',
    ],
    401: ['authentication', 'unauthenticated', 'unauthorized', 'invalidapikey'],
    402: ['billing', 'insufficientquota', 'insufficientbalance', 'paymentrequired'],
    403: ['permission', 'permissiondenied', 'forbidden'],
    404: ['notfound', 'modelnotfound'],
    413: ['requesttoolarge'],
    429: ['ratelimit', 'ratelimitexceeded', 'ratelimited', 'toomanyrequests', 'resourceexhausted', 'throttling'],
    500: ['server', 'api', 'internal', 'internalserver'],
    503: ['unavailable', 'serviceunavailable', 'overloaded', 'engineoverloaded'],
    504: ['timeout', 'requesttimeout', 'deadlineexceeded', 'modeltimeout', 'vectorstoretimeout'],
  }).flatMap(([status, words]) => words.map((word): [string, number] => [word, Number(status)])),
)

/** The HTTP status that an error within a response stands for: as a number, or by its code or type. */
export function readErrorStatus(error: unknown): number | undefined {
  const fields = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>
  const numbers = statusNames.map((name) => Number(fields[name]))
  const words = wordNames.map((name) => normalizeWord(fields[name]))
  return (
    numbers.find((status) => status >= 400 && status < 600) ??
    zhipuStatuses.get(fields.code) ??
    words.map((word) => statusOfWord.get(word)).find((status) => status !== undefined)
  )
}

/** `rate_limit_error`, `RateLimitError` and `rate-limit` are the same word. */
function normalizeWord(word: unknown): string {
  if (typeof word !== 'string') return ''
  return word
    .toLowerCase()
    .replaceAll(/[_-]|\..*$/g, '')
    .replace(/(?:error|exception)$/, '')
}
