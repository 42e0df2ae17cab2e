import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage } from '../../harness/browser/console.ts'
import { demoInBrowser } from '../../harness/browser/demo-in-browser.ts'
import { untilMetered } from '../../harness/service/world/generation-record.ts'
import { until } from '../../harness/until.ts'

const at = demoInBrowser()
const options = { skip: noBrowser }
const open = (path: string, more: object = {}) => signedInPage(at.browser, at.world.service, path, more)

test('two models answer side by side, with provider and price, and are in the log', options, async () => {
  await using watched = await open('/chat?model=google/gemini-3-flash,openai/gpt-5.4-mini')
  const { page, faults } = watched
  await page.getByLabel('Message').fill('Which invoice is wrong?')
  await page.keyboard.press('Enter')
  const responses = ['google/gemini-3-flash', 'openai/gpt-5.4-mini'].map((model) =>
    page.getByRole('article', { name: `Response of ${model}` }),
  )
  for (const expected of responses) {
    await expected.getByText('lacks a digit').waitFor()
    await expected.getByText(/^\$0\.\d+$/).waitFor()
    const path = await expected.getByRole('link', { name: 'View request' }).getAttribute('href')
    const response = await untilMetered(
      { ask: (method, path) => at.world.service.manage(method, path) },
      decodeURIComponent(path!.split('/').at(-1)!),
    )
    assert.equal(response.streamed, true)
    await expected.getByText(new RegExp(`^${response.provider_name}$`, 'i')).waitFor()
  }
  assert.deepEqual(faults, [])
})

test('an Enter that confirms the text of an input method does not send a message', options, async () => {
  await using watched = await open('/chat?model=signalbox/demo')
  const { page } = watched
  const message = page.getByLabel('Message')
  await message.fill('かな')
  // Safari ends the composition before the key; the code is that of a key which the input method handles.
  for (const init of [{ isComposing: true }, { keyCode: 229 }])
    await message.dispatchEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...init })
  assert.equal(await message.inputValue(), 'かな')
  await page.keyboard.press('Enter')
  await page.getByRole('article').getByText('You said: かな').waitFor()
  assert.equal(await page.getByRole('article').count(), 1)
})

test('model output is displayed without active markup', options, async () => {
  await using watched = await open('/chat?model=signalbox/demo')
  const { page, faults } = watched
  await page.getByLabel('Message').fill('**bold** <img src=x onerror="document.title=1"> [go](javascript:alert(1))')
  await page.keyboard.press('Enter')
  const response = page.getByRole('article')
  await response.locator('strong').getByText('bold').waitFor()
  await response.getByRole('status').getByText('signalbox/demo: complete').waitFor()
  assert.equal(await response.locator('[onerror], a[href^="javascript"]').count(), 0)
  assert.notEqual(await page.title(), '1')
  // The browser reports violations of the policy as soon as the sanitizer parses the markup.
  assert.deepEqual(
    faults.filter((fault) => !/Failed to load resource|img-src|inline event handler|script-src-attr/.test(fault)),
    [],
  )
})

test('thoughts are folded, a failure says why, and stopping ends the response', options, async () => {
  await using watched = await open('/chat?model=signalbox/demo')
  const { page } = watched
  const say = async (text: string) => {
    await page.getByLabel('Message').fill(text)
    await page.keyboard.press('Enter')
  }
  await say('demo:reasoning')
  await page.getByRole('article').getByText('Reasoning', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'View request' }).waitFor()
  await say('demo:error=503')
  await page.getByRole('alert').filter({ hasText: 'asked to fail' }).waitFor()
  await say('demo:words=3 demo:stall')
  await page.getByRole('article').nth(2).getByText('word1').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('stopped', { exact: true }).waitFor()
})

test('a retry with invalid settings says what is wrong', options, async () => {
  await using watched = await open('/chat?model=signalbox/demo')
  const { page, faults } = watched
  await page.getByLabel('Message').fill('Hi')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'View request' }).waitFor()
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByLabel('Additional fields, as JSON').fill('[1]')
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('Additional fields must be a JSON object').waitFor()
  assert.deepEqual(faults, [])
})

test('settings are saved as a preset, which then responses', options, async () => {
  await using watched = await open('/chat?model=signalbox/demo')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByLabel('System prompt').fill('Response in Latin.')
  await page.getByLabel('Temperature').fill('0.3')
  await page.getByLabel('Save as preset').fill('latin')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('@preset/latin, version 1').waitFor()
  await page.getByText('Requests use this version.').waitFor()
  const { designated_version } = (await at.world.service.manage('GET', '/presets/latin')).body.data
  assert.equal(designated_version.system_prompt, 'Response in Latin.')
  assert.deepEqual(designated_version.config, { temperature: 0.3, model: 'signalbox/demo' })
  await page.getByRole('button', { name: 'Compare with another' }).click()
  await page.getByRole('textbox', { name: 'Add a model or preset' }).fill('latin')
  await page.getByRole('button', { name: '@preset/latin', exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.searchParams.get('model') === 'signalbox/demo,@preset/latin')
  assert.deepEqual(faults, [])
})

test('a saved version of a preset is used only after Use this version', options, async () => {
  const { service } = at.world
  const config = { model: 'google/gemini-3-flash', models: ['openai/gpt-5.4-mini'], temperature: 0.9 }
  await service.manage('POST', '/presets/sea/responses', { ...config, instructions: 'Answer with a haiku.' })
  const used = async () => (await service.manage('GET', '/presets/sea')).body.data.designated_version
  await using watched = await open('/chat?model=@preset/sea,signalbox/demo')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByLabel('Temperature').fill('0.1')
  await page.getByLabel('Additional fields, as JSON').fill('{"metadata": {"team": "poetry"}}')
  await page.getByLabel('Save as preset').fill('sea')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Requests still use the previous version.').waitFor()
  await page.getByText('Not saved: metadata, the additional model signalbox/demo.').waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  assert.equal((await used()).version, 1)
  await page.getByRole('button', { name: 'Use this version' }).click()
  await page.getByText('Requests use this version.').waitFor()
  const { version, config: stored, system_prompt } = await used()
  assert.deepEqual([version, stored, system_prompt], [2, { ...config, temperature: 0.1 }, 'Answer with a haiku.'])
  assert.deepEqual(faults, [])
})

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const picture = { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') }

test('images are chosen and pasted, shown, and sent to the provider with the text', options, async () => {
  await using watched = await open('/chat?model=google/gemini-3-flash')
  const { page, faults } = watched
  const attached = page.getByRole('button', { name: /^Remove image/ })
  await page.getByLabel('Images').setInputFiles(picture)
  await attached.nth(0).waitFor()
  await page.getByLabel('Message').evaluate((field, data) => {
    const at = globalThis as any
    const bytes = Uint8Array.from(at.atob(data), (character: string) => character.charCodeAt(0))
    const clipboardData = new at.DataTransfer()
    clipboardData.items.add(new File([bytes], 'pasted.png', { type: 'image/png' }))
    field.dispatchEvent(new at.ClipboardEvent('paste', { clipboardData, bubbles: true }))
  }, png)
  await attached.nth(1).waitFor()
  await attached.nth(0).click()
  await attached.nth(1).waitFor({ state: 'detached' })
  // The removed image is attached again. It stays with the draft while another screen is open.
  await page.getByLabel('Images').setInputFiles(picture)
  await attached.nth(1).waitFor()
  await page.getByRole('link', { name: 'Models', exact: true }).click()
  await page.waitForURL('**/models')
  await page.goBack()
  await attached.nth(1).waitFor()
  await page.getByLabel('Message').fill('What is this?')
  await page.keyboard.press('Enter')
  const sent = page.getByRole('img', { name: /^Attachment / })
  await sent.nth(1).waitFor()
  await page.getByRole('link', { name: 'View request' }).waitFor()
  const url = `data:image/png;base64,${png}`
  const image = { type: 'image_url', image_url: { url } }
  assert.deepEqual(at.world.lastRequest().messages, [
    { role: 'user', content: [{ type: 'text', text: 'What is this?' }, image, image] },
  ])
  // Seen, and not only there: what the policy of the page forbids is broken.
  const widths = () => sent.evaluateAll((all) => all.map((one: any) => one.naturalWidth))
  await until(async () => (await widths()).join() === '1,1')
  assert.equal(await attached.count(), 0)
  assert.deepEqual(faults, [])
})

test('an image alone is sent without text, and other files are refused', options, async () => {
  await using watched = await open('/chat?model=google/gemini-3-flash')
  const { page, faults } = watched
  await page.getByLabel('Images').setInputFiles({ ...picture, name: 'notes.txt', mimeType: 'text/plain' })
  await page.getByText('notes.txt is not an image.').waitFor()
  await page.getByLabel('Images').setInputFiles(picture)
  await page.getByRole('button', { name: 'Remove image 1' }).waitFor()
  assert.equal(await page.getByText('notes.txt is not an image.').count(), 0)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('link', { name: 'View request' }).waitFor()
  const { content } = at.world.lastRequest().messages.at(-1)
  assert.deepEqual(
    content.map((part: { type: string }) => part.type),
    ['image_url'],
  )
  assert.deepEqual(faults, [])
})

test('a model without image support is not called, with a message', options, async () => {
  await using watched = await open('/chat?model=deepseek/deepseek-v4')
  const { page } = watched
  await page.getByLabel('Images').setInputFiles(picture)
  await page.getByRole('button', { name: 'Remove image 1' }).waitFor()
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('alert').filter({ hasText: 'input_modalities' }).waitFor()
})

for (const width of [390, 1280]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`the chat is accessible at ${width} px in ${colorScheme}`, options, async () => {
      await using watched = await open('/chat?model=signalbox/demo', { colorScheme, viewport: { width, height: 800 } })
      const { page } = watched
      await page.getByLabel('Message').fill('Hello')
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: 'View request' }).waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
      assert.deepEqual(watched.faults, [])
    })
  }
}

test('a new chat leaves the one before, which can be brought back', options, async () => {
  await using watched = await open('/chat?model=signalbox/demo')
  const { page, faults } = watched
  await page.getByLabel('Message').fill('Which is the third?')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'View request' }).waitFor()
  await page.getByRole('button', { name: 'New chat' }).click()
  await page.getByText('Which is the third?').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Which is the third?', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'View request' }).waitFor()
  assert.deepEqual(faults, [])
})
