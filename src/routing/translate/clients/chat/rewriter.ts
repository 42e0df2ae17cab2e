import { madeCallId } from '#chat/call-id.ts'
import { detailsOf } from '#chat/thoughts.ts'
import { bytesOfJson, valueEnd, withChanges } from '#lib/json-members.ts'
import { Beginnings, objectIn, type PassthroughRewriter } from '../../passthrough-rewriter.ts'
import type { AnswerHead } from '../../protocol.ts'
import { type Part, textsOf } from '../../providers/openai-chat-content.ts'

/** Answers of chat upstreams, which leave out this and that, or say null where clients want nothing at all. */
export function chatRewriter(head: AnswerHead): PassthroughRewriter {
  const { id, model, createdSeconds } = head
  let ofEvent: PassthroughRewriter['event'] | undefined
  return {
    event(raw) {
      ofEvent ??= eventRewriter(head)
      return ofEvent(raw)
    },
    whole(answer) {
      const told = needsRewriteInMessage(answer) ? rewritten(answer, 'message', { id, model }) : answer
      const created = String(createdSeconds)
      const fill = { id: bytesOfJson(id), created, object: '"chat.completion"', system_fingerprint: 'null' }
      return withChanges(told, told.indexOf('{'), { set: namesIn(head), fill })
    },
  }
}

function namesIn({ model, provider }: AnswerHead) {
  return { model: bytesOfJson(model), provider: bytesOfJson(provider ?? null) }
}

function eventRewriter(head: AnswerHead): PassthroughRewriter['event'] {
  const { id, model, createdSeconds } = head
  const beginnings = new Beginnings('choices', 'usage', () => ({
    set: namesIn(head),
    fill: { id: bytesOfJson(id), created: String(createdSeconds), object: '"chat.completion.chunk"' },
  }))
  return (raw) => {
    const rest = beginnings.restOf(raw)
    if (rest !== undefined && !needsRewriteInChoice(rest)) return beginnings.joined(raw, rest)
    const text = raw.toString('latin1')
    const from = objectIn(text)
    if (from === -1) return raw
    const told = needsRewriteInChoice(text) ? withRewrittenLine(text, from, { id, model }) : text
    return Buffer.from(beginnings.learn(told, from), 'latin1')
  }
}

/** Fields of the event such as its id, and comments, may stand behind its data. */
function withRewrittenLine(text: string, from: number, named: Named): string {
  const end = text.indexOf('\n', from)
  return text.slice(0, from) + rewritten(text.slice(from, end), 'delta', named) + text.slice(end)
}

/** Looked for as text: quotes within what is said are escaped, and never found. */
function needsRewriteInChoice(text: string): boolean {
  if (!text.includes('"finish_reason":null') && !/"finish_reason"\s*:\s*(?:"[^"]|null)/.test(text))
    return !text.includes('"choices":[]')
  return needsRewriteInMessage(text)
}

/** Content in parts; probabilities have a `content`, too. The first one is looked at, which stands near the beginning. */
function saysInParts(text: string): boolean {
  const at = text.indexOf('"content"')
  if (at === -1) return false
  listOfParts.lastIndex = at + '"content"'.length
  return listOfParts.test(text)
}

const listOfParts = /\s*:\s*\[(?!\s*(?:\{\s*"token"|\]))/y

function needsRewriteInMessage(text: string): boolean {
  if (saysInParts(text) || (text.includes('"audio"') && /"audio"\s*:\s*null/.test(text))) return true
  for (let at = text.indexOf(callsName); at !== -1; at = text.indexOf(callsName, at + 1))
    if (needsRewriteInCalls(text, at)) return true
  return false
}

const callsName = '"tool_calls"'

/** Every call that has a name has an id and a type, too. The answer has others, which may follow. */
function needsRewriteInCalls(text: string, at: number): boolean {
  opening.lastIndex = at + callsName.length
  const opened = opening.exec(text)
  // The word also is a reason to finish.
  if (!opened) return false
  if (opened[1] === 'n') return true
  const calls = text.slice(opening.lastIndex, valueEnd(text, opening.lastIndex - 1))
  const names = count(calls, /"name"\s*:/g)
  return names > 0 && (count(calls, /"id"\s*:\s*"[^"]/g) < names || count(calls, /"type"\s*:\s*"/g) < names)
}

const opening = /\s*:\s*([n[])/y

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

type Call = { id?: string | null; index?: number; type?: string; function?: { name?: string }; custom?: object }
type ChatDelta = { content?: unknown; tool_calls?: Call[] | null; audio?: unknown }
type Choice = { finish_reason?: string | null } & { [part in 'delta' | 'message']?: ChatDelta }

type Named = Pick<AnswerHead, 'id' | 'model'>

function rewritten(text: string, part: 'delta' | 'message', { id, model }: Named): string {
  const answer = JSON.parse(Buffer.from(text, 'latin1').toString('utf8')) as { id?: string; choices?: Choice[] }
  for (const choice of answer.choices ?? []) {
    choice.finish_reason ||= null
    const said = choice[part]
    if (Array.isArray(said?.content)) Object.assign(said, asText(said.content, model))
    if (said?.audio === null) delete said.audio
    if (said?.tool_calls === null) delete said.tool_calls
    for (const [at, call] of (said?.tool_calls ?? []).entries()) {
      if (!call.function?.name && !call.custom) continue
      call.id ||= madeCallId(answer.id || id, call.index ?? at)
      call.type ??= call.custom ? 'custom' : 'function'
    }
  }
  return bytesOfJson(answer)
}

/** Some say what they think as a part of the content; clients expect text there, and thoughts beside it. */
function asText(parts: Part[], model: string): object {
  const texts = parts.map(textsOf)
  const [content, reasoning] = [texts.map(({ text }) => text).join(''), texts.map(({ thought }) => thought).join('')]
  if (!reasoning) return { content }
  const details = detailsOf({ text: reasoning, field: 'thinking', by: model }, 0)
  return { content, reasoning, reasoning_details: details }
}
