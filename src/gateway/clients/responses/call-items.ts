import type { CompletionEvent } from '#chat/events.ts'
import { isObject } from '#platform/core/is-object.ts'
import { JsonParseQuota } from '#platform/json/json-text/json-parse-quota.ts'
import type { ResponseHead } from '../../protocol/client-protocol.ts'
import { parseJsonText } from '../../protocol/tool-calls/tool-arguments.ts'
import { FlatTools, listDeclaredTools } from './flat-tools.ts'
import type { ItemEvents } from './item-events.ts'
import type { CallItem, CustomCallItem, SearchItem } from './object.ts'

export type ToolCall = Extract<CompletionEvent, { type: 'tool_call' }>

/**
 * Writes the tool calls of one response: calls of functions and custom tools, and tool searches, which the client runs. Calls stay
 * open until the end, because some upstreams interleave them. Methods return SSE events as text.
 */
export class CallItems {
  readonly #items: ItemEvents
  readonly #head: ResponseHead
  readonly #calls = new Map<number, CallItem | CustomCallItem>()
  /** Searches for tools, and the JSON text of their arguments so far. */
  readonly #searches = new Map<number, { item: SearchItem; text: string }>()
  #cachedTools: FlatTools | undefined

  constructor(items: ItemEvents, head: ResponseHead) {
    this.#items = items
    this.#head = head
  }

  add({ index, id: call_id, name, custom, namespace }: ToolCall): string {
    const status = 'in_progress' as const
    if (!custom && this.#tools.isSearch(name)) {
      const shared = { id: this.#items.newId('tsc'), status, call_id }
      const item: SearchItem = { ...shared, type: 'tool_search_call', execution: 'client', arguments: {} }
      this.#searches.set(index, { item, text: '' })
      return this.#items.addItem(item)
    }
    const shared = { id: this.#items.newId(custom ? 'ctc' : 'fc'), status, call_id, name }
    const item: CallItem | CustomCallItem = custom
      ? { ...shared, type: 'custom_tool_call', input: '' }
      : {
          ...shared,
          // Upstreams call a function of a namespace by its flat name. The client gets the namespace and the name.
          ...(namespace ? { namespace } : this.#tools.findNamespacedName(name)),
          type: 'function_call',
          arguments: '',
        }
    this.#calls.set(index, item)
    return this.#items.addItem(item)
  }

  /** The tools of the request. Created at the first call of a function. */
  get #tools(): FlatTools {
    this.#cachedTools ??= new FlatTools(listDeclaredTools(this.#head.request ?? {}))
    return this.#cachedTools
  }

  writeArguments(index: number, delta: string): string {
    const search = this.#searches.get(index)
    if (search) search.text += delta
    const item = this.#calls.get(index)
    return item ? this.#items.addInput(item, delta) : ''
  }

  close(status: 'completed' | 'incomplete'): string {
    let output = ''
    for (const item of this.#calls.values()) {
      item.status = status
      output += this.#items.finishInput(item) + this.#items.finishItem(item)
    }
    for (const { item, text } of this.#searches.values()) {
      item.status = status
      item.arguments = readSearchArguments(text)
      output += this.#items.finishItem(item)
    }
    return output
  }
}

/** Parses the arguments of a tool search. Returns the text unchanged if it is not the JSON of an object. */
function readSearchArguments(json: string): object | string {
  if (!new JsonParseQuota().take(json)) return json
  try {
    const value = parseJsonText(json || '{}')
    return isObject(value) ? value : json
  } catch {
    // The arguments are nested too deep. For invalid JSON `parseJsonText` returns undefined.
    return json
  }
}
