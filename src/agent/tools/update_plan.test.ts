import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modelWithResponses, newAgent } from '#test/harness/interns/scripted-agent.ts'

test('update_plan shows the whole plan, and refuses two steps in progress', async () => {
  const steps = (...statuses: string[]) => ({
    steps: statuses.map((status, index) => ({ text: `step ${index}`, status })),
  })
  const call = (input: object) => [{ name: 'update_plan', arguments: JSON.stringify(input) }]
  const { model } = modelWithResponses([
    call(steps('in_progress', 'pending')),
    call(steps('in_progress', 'in_progress')),
    call(steps('completed', 'completed')),
    'done',
  ])
  await using at = await newAgent({ model, settings: { model: 'm', instructions: () => '', maxSteps: 5 } })
  await at.prompt('go')
  const plans = at.updates.flatMap((each) => (each.sessionUpdate === 'plan' ? [each.entries] : []))
  assert.deepEqual(
    plans.map((entries) => entries.map(({ content, status }) => `${content} ${status}`)),
    [
      ['step 0 in_progress', 'step 1 pending'],
      ['step 0 completed', 'step 1 completed'],
    ],
  )
  assert.match(at.results()[1] ?? '', /^Error: Several steps are in progress/)
})
