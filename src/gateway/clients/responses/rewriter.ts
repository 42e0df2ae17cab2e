import { applyChanges, type Changes, toLatin1Json } from '#platform/json/json-text/json-fields.ts'
import type { ResponseHead } from '../../protocol/client-protocol.ts'
import { changeField, type PassthroughRewriter, parseEventObject } from '../../protocol/passthrough-rewriter.ts'
import { correctCalls, StreamCallRepair } from './call-repair.ts'
import { completeUsage, settingsWithDefaults } from './object.ts'

/** Fields that official clients need and some upstreams omit. */
const requiredFields = [
  'instructions',
  'metadata',
  'parallel_tool_calls',
  'temperature',
  'tool_choice',
  'tools',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
]

/** Fields that vLLM and others send as null, which official clients refuse. */
const nonNullFields = ['text', 'store', 'tools', 'tool_choice', 'parallel_tool_calls']

/**
 * Rewrites responses of the Responses API: replaces the names of model and provider by those of the catalogue, and repairs tool calls
 * that violate the protocol. All other events stay.
 */
export function createResponsesRewriter(head: ResponseHead): PassthroughRewriter {
  const { model, provider, createdSeconds, request = {} } = head
  const calls = new StreamCallRepair(head)
  const requestSettings = settingsWithDefaults(request)
  const changes = {
    set: { model: toLatin1Json(model), provider: toLatin1Json(provider ?? null) },
    fill: {
      object: '"response"',
      created_at: String(createdSeconds),
      completed_at: 'null',
      error: 'null',
      incomplete_details: 'null',
      ...Object.fromEntries(requiredFields.map((name) => [name, toLatin1Json(requestSettings[name])])),
    },
    notNull: nonNullFields,
  }
  const endChanges = { ...changes, fill: { ...changes.fill, status: '"completed"' } }
  const completedItems = new CompletedItems()
  return {
    rewriteEvent: (original, events = []) => {
      const raw = withAnnotations(original)
      completedItems.collect(raw)
      if (!raw.includes('"response"')) return calls.repair(raw, events)
      const eventChanges = raw.includes('"response.completed"') ? endChanges : changes
      return calls.repair(changeField(raw, 'response', completedItems.withOutput(raw, eventChanges)), events)
    },
    rewriteWhole: (response, body, events) => {
      const repaired = withAnnotationsInText(correctCalls(response, events))
      const { usage } = body as { usage?: object | null }
      const set = usage ? { ...endChanges.set, usage: toLatin1Json(completeUsage(usage)) } : endChanges.set
      return applyChanges(repaired, repaired.indexOf('{'), { ...endChanges, set })
    },
  }
}

/** The items that a stream reported as done. Some servers omit these items in the last event. */
class CompletedItems {
  readonly #items: object[] = []

  /** Adds the item of an event that reports it as done. */
  collect(raw: Buffer): void {
    if (!raw.includes('"response.output_item.done"')) return
    const { item } = parseEventObject(raw) as { item?: object | null }
    if (item) this.#items.push(item)
  }

  /** Adds all completed items to the changes of the last event, if its output is empty. */
  withOutput(raw: Buffer, changes: Changes): Changes {
    if (this.#items.length === 0 || !lacksOutput(raw.toString('latin1'))) return changes
    return { ...changes, set: { ...changes.set, output: toLatin1Json(this.#items) } }
  }
}

/** Whether an event is the last of the stream and has no items. */
function lacksOutput(event: string): boolean {
  if (!/"response\.(?:completed|incomplete|done)"/.test(event)) return false
  return !/"output"\s*:/.test(event) || /"output"\s*:\s*(?:\[\s*\]|null)/.test(event)
}

/** A text part, and the field that official clients need in it and some upstreams omit. */
const textType = '"output_text"'
const emptyAnnotations = `${textType},"annotations":[]`
const annotationsPattern = /"annotations"\s*:\s*\[/

/** The event with annotations in its texts, if it has none. */
function withAnnotations(event: Buffer): Buffer {
  if (!event.includes(textType)) return event
  return Buffer.from(withAnnotationsInText(event.toString('latin1')), 'latin1')
}

/** Quotes within strings are escaped, so the type is never a text of the response. */
const withAnnotationsInText = (text: string): string =>
  annotationsPattern.test(text) ? text : text.replaceAll(/(?<="type"\s*:\s*)"output_text"/g, emptyAnnotations)
