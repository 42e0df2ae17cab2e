import assert from 'node:assert/strict'

/** A response as a client reads it: id, name and arguments of each call, the text, and the reason of the end. */
export type Understood = { calls: string[][]; text: string; end: string | undefined }

export type Door = 'chat' | 'responses' | 'messages'

export const doors: Record<Door, { path: string; body: object }> = {
  chat: { path: '/chat/completions', body: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 50 } },
  responses: { path: '/responses', body: { input: 'Hi', max_output_tokens: 50 } },
  messages: { path: '/messages', body: { max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] } },
}

/** Clients that follow their protocol, and accept nothing else. */
export const streamReaders: Record<Door, (events: any[]) => Understood> = {
  chat(events) {
    const calls: string[][] = []
    let [text, end] = ['', undefined as string | undefined]
    for (const { choices = [] } of events) {
      const [{ delta, finish_reason } = {} as any] = choices
      text += delta?.content ?? ''
      end = finish_reason ?? end
      for (const { index, id = '', function: { name = '', arguments: args = '' } = {} as any } of delta?.tool_calls ??
        []) {
        calls[index] ??= ['', '', '']
        for (const [at, piece] of [id, name, args].entries()) calls[index]![at] += piece ?? ''
      }
    }
    return { calls, text, end }
  },
  responses(events) {
    const items: any[] = []
    const added = new Map<number, any>()
    for (const { type, output_index: at, item, delta, arguments: args } of events) {
      if (type === 'response.output_item.added') {
        assert.equal(at, added.size, 'items are numbered in their order')
        added.set(at, { ...item, input: '' })
      }
      if (type === 'response.function_call_arguments.delta') added.get(at).input += delta
      if (type === 'response.function_call_arguments.done') assert.equal(added.get(at).input, args)
      if (type === 'response.output_item.done') items[at] = item
    }
    const calls = items.flatMap((item, at) => (item.type === 'function_call' ? [{ at, ...item }] : []))
    for (const { at, ...item } of calls) {
      const { id, call_id, name, input } = added.get(at)
      assert.deepEqual([id, call_id, name, input], [item.id, item.call_id, item.name, item.arguments])
    }
    const text = events.flatMap(({ type, delta }) => (type === 'response.output_text.delta' ? [delta] : [])).join('')
    const response = events.at(-1)?.response
    const understood = { calls: calls.map(callOfItem), text, end: response?.status }
    if (!response?.output) return understood
    const whole = wholeReaders.responses(response)
    assert.deepEqual(whole.calls, understood.calls)
    return { ...understood, text: text || whole.text }
  },
  messages(events) {
    const blocks: any[] = []
    let open = -1
    for (const { type, index, content_block, delta } of events) {
      if (type === 'content_block_start') {
        assert.equal(open, -1, 'one block is open at a time')
        assert.equal(index, blocks.length, 'blocks are numbered in their order')
        open = index
        blocks[index] = { ...content_block, json: '' }
      }
      if (type === 'content_block_delta') {
        assert.equal(index, open)
        blocks[index].json += delta.partial_json ?? ''
        blocks[index].text = (blocks[index].text ?? '') + (delta.text ?? '')
      }
      if (type === 'content_block_stop') {
        assert.equal(index, open)
        open = -1
      }
    }
    assert.equal(open, -1, 'the last block is closed')
    const calls = blocks.filter(({ type }) => type === 'tool_use')
    // Clients that add up the pieces do not read the input of the opening event.
    for (const { input } of calls) assert.deepEqual(input, {})
    const text = blocks.map((one) => (one.type === 'text' ? one.text : '')).join('')
    const end = events.findLast(({ type }) => type === 'message_delta')?.delta.stop_reason
    return { calls: calls.map(({ id, name, json }) => [id, name, json || '{}']), text, end }
  },
}

const callOfItem = ({ call_id, name, arguments: args }: any): string[] => [call_id, name, args]

export const wholeReaders: Record<Door, (body: any) => Understood> = {
  chat: ({ choices: [{ message, finish_reason }] }) => ({
    calls: (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }: any) => [id, name, args]),
    text: message.content ?? '',
    end: finish_reason,
  }),
  responses: ({ output, status }) => ({
    calls: output.filter(({ type }: any) => type === 'function_call').map(callOfItem),
    text: output.flatMap(({ content }: any) => (content ?? []).map(({ text }: any) => text ?? '')).join(''),
    end: status,
  }),
  messages: ({ content, stop_reason }) => ({
    calls: content
      .filter(({ type }: any) => type === 'tool_use')
      .map(({ id, name, input }: any) => [id, name, JSON.stringify(input)]),
    text: content.map(({ text }: any) => text ?? '').join(''),
    end: stop_reason,
  }),
}
