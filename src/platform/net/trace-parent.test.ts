import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUuid } from '../core/id.ts'
import { newSpan, readTraceParent, writeTraceParent } from './trace-parent.ts'

const [trace, span] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']

test('a traceparent is read, also of a later version, and written again', () => {
  const read = readTraceParent(`00-${trace}-${span}-01`)
  assert.deepEqual(read, { traceId: trace, spanId: span, flags: '01' })
  assert.equal(writeTraceParent(read!), `00-${trace}-${span}-01`)
  assert.deepEqual(readTraceParent(`cc-${trace}-${span}-00-more`), { traceId: trace, spanId: span, flags: '00' })
})

test('an invalid traceparent is ignored', () => {
  const zero = (text: string) => '0'.repeat(text.length)
  for (const header of [
    undefined,
    '',
    `ff-${trace}-${span}-01`,
    `00-${zero(trace)}-${span}-01`,
    `00-${trace}-${zero(span)}-01`,
    `00-${trace.toUpperCase()}-${span}-01`,
    `00-${trace}-${span}-01x`,
    `x 00-${trace}-${span}-01`,
  ])
    assert.equal(readTraceParent(header), undefined, String(header))
})

test('a span belongs to the trace of the caller, or starts one', () => {
  const below = newSpan(newUuid, `00-${trace}-${span}-00`)
  assert.deepEqual([below.traceId, below.flags, below.spanId === span], [trace, '00', false])
  const first = newSpan(newUuid, undefined)
  assert.deepEqual(readTraceParent(writeTraceParent(first)), first)
})
