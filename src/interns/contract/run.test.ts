import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Question } from './question.ts'
import { type EndReason, newRun, type RunEvent, type RunState, step } from './run.ts'

const question = (id: string): Question => ({ id, kind: 'permission', operation: 'shell', detail: null, options: [] })
const questionAsked = (id: string, canWait = true): RunEvent => ({
  type: 'question.asked',
  question: question(id),
  deadlineAt: 300,
  canWait,
})

const starting: RunState = newRun
const running: RunState = { at: 'running' }
const waiting: RunState = { at: 'waiting', question: question('a'), deadlineAt: 300, queued: [] }
const ended = (reason: EndReason): RunState => ({ at: 'ended', reason })
const queuedToo: RunState = { ...waiting, queued: [question('a')] }

const same = 'same'
/** Every event in every open state: the specification's table of transitions, and what lies between its rows. */
const table: [RunEvent, ...(RunState | 'same')[]][] = [
  //                                                          starting, running, waiting for a
  [{ type: 'turn.started' }, running, same, same],
  [{ type: 'output.written' }, running, same, same],
  [questionAsked('a'), waiting, waiting, queuedToo],
  [questionAsked('a', false), ended('busy'), ended('busy'), queuedToo],
  [{ type: 'question.withdrawn', questionId: 'a', deadlineAt: 600 }, same, same, running],
  [{ type: 'answer.accepted', questionId: 'a', deadlineAt: 600 }, same, same, running],
  [{ type: 'answer.accepted', questionId: 'b', deadlineAt: 600 }, same, same, same],
  [{ type: 'clock.ticked', now: 299 }, same, same, same],
  [{ type: 'clock.ticked', now: 300 }, same, same, ended('deadline')],
  [{ type: 'client.disconnected' }, ended('disconnected'), ended('disconnected'), ended('disconnected')],
  [{ type: 'run.cancelled' }, ended('cancelled'), ended('cancelled'), ended('cancelled')],
  [{ type: 'budget.spent' }, ended('over_budget'), ended('over_budget'), ended('over_budget')],
  [{ type: 'agent.died' }, ended('severed'), ended('severed'), ended('severed')],
  [{ type: 'turn.finished' }, ended('finished'), ended('finished'), ended('finished')],
  [{ type: 'turn.failed' }, ended('refused'), ended('failed'), ended('failed')],
]

for (const [event, ...next] of table) {
  for (const [index, before] of [starting, running, waiting].entries()) {
    test(`a run that is ${before.at}, on ${JSON.stringify(event)}`, () => {
      assert.deepEqual(step(before, event), next[index] === same ? before : next[index])
    })
  }
}

test('an ended run stays as it ended, whatever happens', () => {
  for (const [event] of table) assert.deepEqual(step(ended('finished'), event), ended('finished'))
})

test('concurrent questions are asked in sequence, each with its own deadline', () => {
  const both = step(step(running, questionAsked('a')), questionAsked('b'))
  const next = step(both, { type: 'answer.accepted', questionId: 'a', deadlineAt: 900 })
  assert.deepEqual(next, { at: 'waiting', question: question('b'), deadlineAt: 900, queued: [] })
  assert.deepEqual(step(next, { type: 'answer.accepted', questionId: 'b', deadlineAt: 0 }), running)
})

test('a queued question that is withdrawn is never asked', () => {
  const both = step(step(running, questionAsked('a')), questionAsked('b'))
  const withdrawn = step(both, { type: 'question.withdrawn', questionId: 'b', deadlineAt: 0 })
  assert.deepEqual(step(withdrawn, { type: 'answer.accepted', questionId: 'a', deadlineAt: 0 }), running)
})

test('a question that is withdrawn while it waits is followed by the next one', () => {
  const both = step(step(running, questionAsked('a')), questionAsked('b'))
  const next = step(both, { type: 'question.withdrawn', questionId: 'a', deadlineAt: 900 })
  assert.deepEqual(next, { at: 'waiting', question: question('b'), deadlineAt: 900, queued: [] })
})

const id = fc.constantFrom('a', 'b', 'c')
const instant = fc.integer({ min: 0, max: 1000 })
const anyEvent: fc.Arbitrary<RunEvent> = fc.oneof(
  fc.constantFrom<RunEvent>(...table.map(([event]) => event)),
  fc.record({
    type: fc.constant('question.asked'),
    question: id.map(question),
    deadlineAt: instant,
    canWait: fc.boolean(),
  }),
  fc.record({ type: fc.constant('answer.accepted'), questionId: id, deadlineAt: instant }),
  fc.record({ type: fc.constant('clock.ticked'), now: instant }),
)

test('random histories: ends are final, one question is open, its end sets a deadline', () => {
  const holds = (events: RunEvent[]) => {
    let state: RunState = newRun
    for (const event of events) {
      const next = step(state, event)
      if (state.at === 'ended') assert.equal(next, state)
      if (state.at === 'waiting' && next.at === 'waiting' && next.deadlineAt !== state.deadlineAt) {
        assert.ok(event.type === 'answer.accepted' || event.type === 'question.withdrawn')
        assert.equal(event.questionId, state.question.id)
        assert.equal(next.question, state.queued[0])
      }
      if (state.at !== 'waiting' && next.at === 'waiting') assert.ok(event.type === 'question.asked' && event.canWait)
      if (next.at === 'running') assert.notEqual(event.type, 'question.asked')
      state = next
    }
  }
  fc.assert(fc.property(fc.array(anyEvent, { maxLength: 40 }), holds), { numRuns: 2000 })
})

test('questions are asked in order, and none is lost', () => {
  const ids = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 20 })
  const holds = (all: string[]) => {
    let state = all.map((one) => questionAsked(one)).reduce(step, running)
    for (const one of all) {
      assert.ok(state.at === 'waiting' && state.question.id === one)
      state = step(state, { type: 'answer.accepted', questionId: one, deadlineAt: 1 })
    }
    assert.deepEqual(state, running)
  }
  fc.assert(fc.property(ids, holds))
})
