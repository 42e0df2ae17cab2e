import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage } from '../../harness/browser/console.ts'
import { demoInBrowser } from '../../harness/browser/demo-in-browser.ts'
import { untilMetered } from '../../harness/service/world/generation-record.ts'

const at = demoInBrowser()
const options = { skip: noBrowser }

test('any days are summed by two groupings, as a table, a chart and CSV, by an address', options, async () => {
  const { service } = at.world
  const body = { model: 'deepseek/deepseek-v4', messages: [{ role: 'user', content: 'Hello' }] }
  const { headers } = await service.ask('POST', '/chat/completions', { body })
  const { total_cost } = await untilMetered(service, headers.get('x-generation-id'))
  assert.ok(total_cost > 0)

  await using watched = await signedInPage(at.browser, service, '/overview')
  const { page, faults } = watched
  await page.getByRole('link', { name: 'Explore' }).click()
  await page.getByRole('combobox', { name: 'then by' }).selectOption('member')
  const row = page.getByRole('row').filter({ hasText: 'deepseek/deepseek-v4' })
  await row.getByRole('rowheader').nth(1).waitFor()
  await page.getByRole('columnheader', { name: 'member' }).waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const lines = readFileSync(await (await download).path(), 'utf8').split('\r\n')
  assert.match(lines[0]!, /^model,member,upstream_inference_cost,request_count/)
  const cost = Number(
    lines
      .find((line) => line.startsWith('deepseek/'))!
      .split(',')
      .at(2),
  )
  assert.ok(cost >= total_cost)

  await page.getByRole('combobox', { name: 'view', exact: true }).selectOption('chart')
  const chart = page.locator('figure').filter({ hasText: 'spent, by model and member' })
  await chart.locator('svg path.area').first().waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])

  for (const [query, title] of [
    ['from=2020-01-01&to=2020-01-31&by=key', 'No requests on these days'],
    ['from=2020-01-01&to=2020-01-31&by=key&model=signalbox/demo', 'No requests on these days match these filters'],
    ['from=2020-01-31&to=2020-01-01&by=key', 'The last day is before the first day'],
  ]) {
    await page.goto(new URL(`/overview/explore?${query}`, page.url()).href)
    await page.getByText(title!, { exact: true }).waitFor()
  }
  assert.deepEqual(faults, [])
})
