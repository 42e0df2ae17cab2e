import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChunkWriter } from './chunks.ts'

const names = { inputTool: 'service.provide_input', fallbackModel: 'service/intern' }
const started = { type: 'turn.started', runId: 'r', sessionId: 's', model: null } as const
const writer = new ChunkWriter(started, names, 1)
const report = { model: 'm', usage: null }

test('the first chunk has the role, and every chunk the run id and the model', () => {
  assert.deepEqual(writer.roleChunk(), {
    id: 'chatcmpl-r',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'service/intern',
    choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
  })
})

test('a finished turn ends with stop, session, usage and the reported model', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
  const [finish, final] = writer.chunksOf({ type: 'turn.finished', ...report, usage })
  assert.equal(finish?.choices[0]?.finish_reason, 'stop')
  assert.deepEqual(final && [final.choices, final.session_id, final.usage, final.model], [[], 's', usage, 'm'])
})

test('a permission is one tool call with its options, and usage is null after it', () => {
  const question = { id: 'q', kind: 'permission', operation: 'shell', detail: null, options: ['allow_once'] } as const
  const [questionEvent, finish, final] = writer.chunksOf({
    type: 'question.asked',
    question: { ...question, options: [...question.options] },
    deadlineAt: 0,
  })
  assert.deepEqual(questionEvent?.choices[0]?.delta.tool_calls, [
    {
      index: 0,
      id: 'q',
      type: 'function',
      function: {
        name: 'service.provide_input',
        arguments: '{"kind":"permission","operation":"shell","options":["allow_once"]}',
      },
    },
  ])
  assert.deepEqual([finish?.choices[0]?.finish_reason, final?.usage, final?.session_id], ['tool_calls', null, 's'])
})

test('a permission contains everything that affects its display', () => {
  const detail = `ls${'\n'.repeat(60)}rm -r x\x1b[2K\u202e \\n`
  const question = { id: 'q', kind: 'permission' as const, operation: 'sh\rell', detail, options: [] }
  const [questionEvent] = writer.chunksOf({ type: 'question.asked', question, deadlineAt: 0 })
  const errorOf = JSON.parse(questionEvent!.choices[0]!.delta.tool_calls![0]!.function!.arguments!)
  assert.equal(errorOf.operation, 'sh\\rell')
  assert.equal(errorOf.detail, `ls${'\\n'.repeat(60)}rm -r x\\x1b[2K\\u202e \\\\n`)
})

test('each failure after the start has the status it would have had before it', () => {
  const errorOf = (event: Parameters<typeof writer.chunksOf>[0]) => writer.chunksOf(event)[0]?.error
  const failed = { type: 'turn.failed', message: 'no', retryable: true, ...report } as const
  assert.deepEqual(errorOf({ ...failed, reason: 'busy' }), {
    code: 503,
    message: 'no',
    metadata: { reason: 'busy', retryable: true },
  })
  assert.equal(errorOf({ ...failed, reason: 'stream_severed' })?.code, 502)
  assert.deepEqual(errorOf({ type: 'run.ended', message: 'over', ...report })?.metadata, {
    reason: 'run_ended',
    retryable: false,
  })
  assert.equal(writer.timeoutChunks('silent')[0]?.error?.code, 504)
})

test('fields that a daemon must not send are dropped', () => {
  for (const event of [{ type: 'of.the.future' }, {}, 5, 'words']) assert.deepEqual(writer.chunksOf(event as never), [])
})

test('every choice of a reply is the first, those of its end too', () => {
  const [finish] = writer.chunksOf({ type: 'turn.finished', ...report })
  assert.deepEqual(finish?.choices, [{ index: 0, delta: {}, finish_reason: 'stop' }])
})
