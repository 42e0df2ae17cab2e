import { hash } from 'node:crypto'
import {
  type Field,
  listPermissionAnswers,
  type PermissionDetails,
  type PermissionKind,
  type PermissionQuestion,
  type Question,
} from '#interns/contract/question.ts'
import { isoTime } from '#platform/core/clock.ts'
import { escapeHtml } from '#platform/http/response/html-page.ts'
import { HttpResponse } from '#platform/http/route.ts'
import { escapeLinesUnambiguously, escapeUnambiguously } from '#platform/text/printable.ts'

const style =
  ':root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:46rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid #8888;border-radius:6px;padding:.75rem;max-height:60vh;overflow:auto}button,input,select{font:inherit;padding:.4rem .8rem;margin:.25rem .5rem .25rem 0}label{display:block;margin:.5rem 0}'

/** Forbids scripts, subresources, caching and referrers. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'cache-control': 'no-store',
}

/** @param html trusted markup; `title` is untrusted. */
function renderPage(
  status: number,
  title: string,
  html: string,
  extraHeaders: Record<string, string> = {},
): HttpResponse {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${style}</style>`
  return new HttpResponse(
    status,
    { ...headers, ...extraHeaders },
    `<!doctype html><html lang="en"><head>${head}</head><body><h1>${escapeHtml(title)}</h1>${html}</body></html>`,
  )
}

/** A page with one sentence. */
export const messagePage = (
  status: number,
  { title, text }: { title: string; text: string },
  extraHeaders?: Record<string, string>,
): HttpResponse => renderPage(status, title, `<p>${escapeHtml(text)}</p>`, extraHeaders)

type QuestionPage = {
  internName: string
  question: Question
  details: PermissionDetails | undefined
  deadlineAt: number
  /** The error of the previous answer. */
  previousError?: string | undefined
}

/** The full question of an intern, with a form for the answer. */
export function questionPage({ internName, question, details, deadlineAt, previousError }: QuestionPage): HttpResponse {
  const content = question.kind === 'permission' ? renderPermission(question, details) : renderText(question.message)
  const answers = question.kind === 'permission' ? renderAnswerButtons(question) : renderFields(question.fields)
  const validity = `<p>This link answers once, until ${isoTime(deadlineAt).slice(0, 19).replace('T', ' ')} UTC.</p>`
  const reason = previousError === undefined ? '' : `<p role="alert"><strong>${escapeHtml(previousError)}</strong></p>`
  const title = question.kind === 'permission' ? `${internName} asks for consent` : `${internName} asks`
  return renderPage(
    previousError === undefined ? 200 : 400,
    title,
    `${reason}${content}<form method="post">${answers}</form>${validity}`,
  )
}

const renderText = (text: string) => `<pre>${escapeHtml(escapeLinesUnambiguously(text))}</pre>`

function renderPermission(
  question: Extract<Question, { kind: 'permission' }>,
  details: PermissionDetails | undefined,
): string {
  const { operation } = question
  const detail = details?.detail ?? question.detail
  const operationText = operation === null ? 'Something that it does not name' : escapeUnambiguously(operation)
  const diffs = (details?.changes ?? []).map(
    ({ path, diff }) => `<h2>${escapeHtml(escapeUnambiguously(path))}</h2>${renderText(diff)}`,
  )
  const text = details?.command ?? (diffs.length > 0 ? null : detail)
  const folder =
    details?.folder == null ? '' : `<p>Working folder: ${escapeHtml(escapeUnambiguously(details.folder))}</p>`
  return `<p>It wants to do: <strong>${escapeHtml(operationText)}</strong></p>${folder}${text === null ? '' : `<pre>${escapeHtml(escapeUnambiguously(text))}</pre>`}${diffs.join('')}`
}

const kindLabels: Record<PermissionKind, string> = {
  allow_once: 'Allow once',
  allow_always: 'Allow always',
  reject_once: 'Reject',
  reject_always: 'Reject always',
}

const renderButton = (value: string, label: string) => `<button name="answer" value="${value}">${label}</button>`

const renderAnswerButtons = (question: PermissionQuestion) =>
  listPermissionAnswers(question)
    .map(({ answer, kind, name }) => {
      const label = name === undefined ? kindLabels[kind] : `${kindLabels[kind]}: ${escapeUnambiguously(name)}`
      return renderButton(escapeHtml(answer), escapeHtml(label))
    })
    .join('')

const renderFields = (fieldList: Field[]) =>
  `${fieldList.map(renderField).join('')}${renderButton('accept', 'Send')}<button name="answer" value="decline" formnovalidate>Decline</button>`

function renderField({ name, type, required, options }: Field): string {
  const nameAttribute = `name="field.${escapeHtml(name)}"`
  const label = `${escapeHtml(escapeUnambiguously(name))}${required ? ' *' : ''}`
  const requiredAttribute = required ? ' required' : ''
  const choices = (options ?? []).map((option) => `<option>${escapeHtml(option)}</option>`).join('')
  if (type === 'array') return `<label>${label} <select ${nameAttribute} multiple>${choices}</select></label>`
  if (type === 'boolean')
    return `<label>${label} <select ${nameAttribute}${requiredAttribute}><option></option><option value="true">yes</option><option value="false">no</option></select></label>`
  if (options)
    return `<label>${label} <select ${nameAttribute}${requiredAttribute}><option></option>${choices}</select></label>`
  const typeAttributes = type === 'string' ? 'type="text"' : 'type="number" step="any"'
  return `<label>${label} <input ${nameAttribute} ${typeAttributes}${requiredAttribute}></label>`
}
