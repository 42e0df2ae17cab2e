import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { measure } from '../../../repairs/measure.ts'
import { tableOf } from '../../../repairs/table.ts'
import { tasks } from '../../../repairs/tasks/tasks.ts'
import { place } from '../../../repairs/workshop.ts'

const rows = await measure(tasks)
console.log(`Repair tasks, ${place}:\n\n${tableOf(rows)}`)

describe('of twenty repair tasks in four languages', () => {
  test('there are twenty, five in each language', () => {
    assert.deepEqual([...new Set(tasks.map(({ language }) => language))], ['JavaScript', 'Python', 'shell', 'Perl'])
    assert.equal(new Set(tasks.map(({ name }) => name)).size, 20)
  })

  for (const row of rows)
    test(`${row.task.name} (${row.task.language})`, { skip: 'skipped' in row && row.skipped }, () => {
      assert.ok('good' in row)
      assert.ok(row.good.repaired, 'the good engineer repairs it')
      assert.equal(row.good.failed, 0, 'no call of the good engineer fails')
      assert.ok(row.sloppy.repaired, 'the sloppy engineer repairs it')
      // The hint for a repeated call needs a second call.
      const most = (slip: string) => (slip.includes('again and again') ? 2 : 1)
      for (const { slip, messages } of row.sloppy.setRight)
        assert.ok(messages !== undefined && messages <= most(slip), `${slip}: set right after ${messages ?? 'never'}`)
      if (row.task.windowTokens) assert.ok(row.sloppy.contextTokens <= row.task.windowTokens)
    })
})
