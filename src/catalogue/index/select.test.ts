import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { catalogue, figures, nowMs, question } from '#test/harness/records/random-catalogues.ts'
import { referenceList } from '#test/harness/records/reference-models.ts'
import { findModels, listBytes } from '../list/list.ts'
import { ModelQuery } from '../list/query.ts'
import { compileSnapshot, type Snapshot } from './snapshot.ts'

function answer(snapshot: Snapshot, parameters: Record<string, string>) {
  const url = `/models?${new URLSearchParams(parameters)}`
  const found = findModels(snapshot, ModelQuery.parse(parameters), { nowMs, url })
  const { data, total_count, links } = JSON.parse(listBytes(snapshot, found).toString())
  return { ids: data.map((item: { id: string }) => item.id), total_count, hasNext: links.next !== null }
}

test('every list equals the rules for any catalogue, query and measurements', () => {
  const property = fc.property(
    catalogue,
    fc.array(question, { minLength: 1, maxLength: 20, size: 'max' }),
    figures,
    figures,
    (data, questions, before, after) => {
      const first = compileSnapshot(data, before)
      const second = first.withFigures(after)
      for (const parameters of questions) {
        assert.deepEqual(answer(first, parameters), referenceList(data.models, before, parameters, nowMs))
        assert.deepEqual(answer(second, parameters), referenceList(data.models, after, parameters, nowMs))
      }
    },
  )
  fc.assert(property, { numRuns: 150 })
})
