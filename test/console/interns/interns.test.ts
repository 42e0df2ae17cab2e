import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { linkForRole, signedInPage } from '../../harness/browser/console.ts'
import { type InternChatService, startInternChatService } from '../../harness/interns/intern-chat.ts'
import { answer, say, untilIntern } from '../../harness/interns/interns.ts'
import { until } from '../../harness/until.ts'

let talk: InternChatService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  if (noBrowser) return
  ;[talk, browser] = await Promise.all([
    startInternChatService({ settings: { console: 'true' as never } }),
    startBrowser(),
  ])
})
after(async () => {
  await browser?.close()
  await talk?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }
const open = (path: string, more: object = {}) => signedInPage(browser, talk, path, { key: talk.apiKey, ...more })
const edit = 'edit run.sh {"before": "echo old\\n", "after": "echo new\\n"}'
const every = 'allow_once allow_always reject_once'

/** The answers to the questions of a session in its transcript. */
const answersIn = async (sessionId: string | undefined) => {
  const { body } = await talk.ask('GET', `/interns/${talk.id}/sessions/${sessionId}`)
  return body.data.entries.flatMap((entry: any) => (entry.type === 'question' ? [entry.answer] : []))
}
const untilAnswered = (sessionId: string | undefined, response: string) =>
  until(async () => (await answersIn(sessionId)).includes(response))

/** A key counts when a question has been in front for a while: it is pressed until it does. */
const press = (
  page: { keyboard: { press: (key: string) => Promise<void> } },
  key: string,
  isDone: () => Promise<boolean>,
) =>
  until(async () => {
    await page.keyboard.press(key)
    return isDone()
  })

test('a session without a question accepts the next message when its run has ended', options, async () => {
  await using watched = await open(`/interns/${talk.id}`)
  const { page, faults } = watched
  await page.getByLabel('Message to ada').or(page.getByPlaceholder('Start a session with ada')).fill('say done')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('idle', { exact: true }).waitFor()
  await page.getByLabel('Message to ada').waitFor()
  assert.deepEqual(faults, [])
})

test('a question appears by itself, is counted, and is answered by keyboard', options, async () => {
  await using watched = await open('/interns')
  const { page, faults } = watched
  await page.getByText('No open questions').waitFor()
  const { sessionId } = await say(talk, talk.id, edit)
  const question = page.getByRole('article', { name: 'Question of ada' })
  await question.getByText('+echo new', { exact: true }).waitFor()
  await question.getByText('-echo old', { exact: true }).waitFor()
  await question.getByText(/min .* left/).waitFor()
  await question.getByText('for you, asked').waitFor()
  await page.getByRole('link', { name: 'Interns 1' }).waitFor()
  await press(page, 'a', async () => (await answersIn(sessionId)).includes('allow_once'))
  await page.getByText('No open questions').waitFor()
  assert.deepEqual(faults, [])
})

for (const [key, answer] of [
  ['A', 'allow_always'],
  ['r', 'reject_once'],
] as const) {
  test(`${key} answers ${answer} to the question in front, and the other one waits on`, options, async () => {
    const first = await say(talk, talk.id, `permission first ${every}`)
    const second = await say(talk, talk.id, `permission second ${every}`)
    await using watched = await open('/interns')
    const { page, faults } = watched
    await page.getByRole('article').nth(1).waitFor()
    await page.keyboard.press('j')
    await page
      .locator('article.selected-question')
      .filter({ hasText: 'second' })
      .getByRole('button', { name: 'Allow once' })
      .waitFor()
    // Far longer than a question must be in front for a key to count: a loaded page shows it late.
    await page.waitForTimeout(3000)
    // A second key press immediately after must not answer the question that is displayed next.
    await page.evaluate(`(async () => {
      const press = () => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }))
      press()
      await new Promise(requestAnimationFrame)
      press()
    })()`)
    await untilAnswered(second.sessionId, answer)
    assert.deepEqual(await answersIn(first.sessionId), [null])
    await page.getByRole('article').filter({ hasText: 'first' }).getByRole('button', { name: 'Reject' }).click()
    await untilAnswered(first.sessionId, 'reject_once')
    await page.getByText('No open questions').waitFor()
    assert.deepEqual(faults, [])
  })
}

test('a key pressed before a question is visible does not answer it', options, async () => {
  const first = await say(talk, talk.id, `permission first ${every}`)
  const second = await say(talk, talk.id, `permission second ${every}`)
  await using watched = await open('/interns')
  const { page, faults } = watched
  const question = (name: string) => page.getByRole('article').filter({ hasText: name })
  await question('second').getByRole('button', { name: 'Allow once' }).waitFor()
  await page
    .locator('article.selected-question')
    .filter({ hasText: 'first' })
    .getByRole('button', { name: 'Allow always' })
    .waitFor()
  await page.waitForTimeout(3000)
  // Nothing is painted between the two key presses: the next question is in the document, but was not visible.
  await page.evaluate(`(async () => {
      const press = () => document.dispatchEvent(new KeyboardEvent('keydown', { key: 'r', cancelable: true }))
      const selected = () => document.querySelector('article.selected-question')
      const before = selected()
      press()
      while (selected() === before) await new Promise(requestAnimationFrame)
      press()
    })()`)
  await untilAnswered(first.sessionId, 'reject_once')
  await question('second').getByRole('button', { name: 'Reject' }).dispatchEvent('click', { detail: 2 })
  // Either answer would have been sent by now.
  await page.waitForTimeout(1000)
  assert.deepEqual(await answersIn(second.sessionId), [null])
  await question('second').getByRole('button', { name: 'Reject' }).click()
  await untilAnswered(second.sessionId, 'reject_once')
  assert.deepEqual(faults, [])
})

test('a change that is too long for a question is shown whole before it can be allowed', options, async () => {
  const long = { before: '-- old comment\n', after: 'echo new\n', repeat: 4000 }
  const { sessionId, question: response } = await say(talk, talk.id, `edit long.sh ${JSON.stringify(long)}`)
  assert.ok(JSON.stringify(response).split('echo new').length < 4000)
  await using watched = await open(`/interns/${talk.id}/${sessionId}`)
  const { page, faults } = watched
  const question = page.getByRole('article')
  await page.locator('.diff .added').nth(3999).waitFor()
  // The removed line is an SQL comment and not a file name.
  assert.deepEqual(await page.locator('.diff .removed').allTextContents(), ['--- old comment'])
  await question.getByRole('button', { name: 'Allow once' }).click()
  await untilAnswered(sessionId, 'allow_once')
  await page.getByRole('list', { name: 'Transcript' }).getByText('allow once').waitFor()
  assert.deepEqual(faults, [])
})

test('the person who answered is shown by name, also live', options, async () => {
  const turn = await say(talk, talk.id, `permission named ${every}`)
  await using watched = await open(`/interns/${talk.id}/${turn.sessionId}`)
  const { page, faults } = watched
  const transcript = page.getByRole('list', { name: 'Transcript' })
  await transcript.getByText('waiting').waitFor()
  await answer(talk, talk.id, turn, 'allow_once')
  await transcript.getByText('allow once by Owner', { exact: true }).waitFor()
  await page.reload()
  await transcript.getByText('allow once by Owner', { exact: true }).waitFor()
  assert.deepEqual(faults, [])
})

test('a form is filled in, and each field is sent as its type', options, async () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' }, count: { type: 'integer' }, size: { type: 'string', enum: ['S', 'L'] } },
    required: ['city'],
  }
  const { sessionId } = await say(talk, talk.id, `ask ${JSON.stringify(schema)}`)
  await using watched = await open(`/interns/${talk.id}/${sessionId}`)
  const { page, faults } = watched
  const question = page.getByRole('article', { name: 'Question of ada' })
  await question.getByLabel('city').fill('Gdańsk')
  await question.getByLabel('count').fill('3')
  await question.getByLabel('size').selectOption('L')
  await question.getByRole('button', { name: 'Send' }).click()
  const result = page.getByRole('list', { name: 'Transcript' }).getByText('"city":"Gdańsk"')
  await result.waitFor()
  const { content } = JSON.parse((await result.textContent())!)
  assert.deepEqual(content, { city: 'Gdańsk', count: 3, size: 'L' })
  assert.deepEqual(faults, [])
})

test('a conversation is shown live, and the agent’s text cannot act on the page', options, async () => {
  const { sessionId } = await say(talk, talk.id, 'say started', { approval_mode: 'self-drive' })
  await using watched = await open(`/interns/${talk.id}`)
  const { page, faults } = watched
  await page.getByRole('link', { name: 'say started' }).click()
  const transcript = page.getByRole('list', { name: 'Transcript' })
  await transcript.getByText('started', { exact: true }).waitFor()
  const hostile = '<img src=x onerror="document.title=1"> \u202egpj.exe **bold**'
  await page.getByLabel('Message to ada').fill(`work edit a.txt {"after": "y\\n"}\nsay ${hostile}`)
  await page.getByRole('button', { name: 'Send' }).click()
  await transcript
    .getByText('<img src=x onerror="document.title=1"> \\u202egpj.exe **bold**', { exact: true })
    .waitFor()
  await transcript.getByText('Work on a.txt').first().click()
  await transcript.getByText('+y').waitFor()
  assert.equal(await transcript.locator('img, strong').count(), 0)
  assert.deepEqual((await answersIn(sessionId)).length, 0)
  assert.deepEqual(faults, [])
})

test('a session is started, continues after its page is left, and is stopped', options, async () => {
  await using watched = await open(`/interns/${talk.id}`)
  const { page, faults } = watched
  await page
    .getByLabel('Start a session with ada')
    .fill(`ask ${JSON.stringify({ type: 'object', properties: { city: { type: 'string' } } })}`)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/interns/${talk.id}/*`)
  await page.getByRole('article', { name: 'Question of ada' }).waitFor()
  const sessionId = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1)!)
  await page.goto(new URL('/models', page.url()).href)
  await page.getByRole('link', { name: 'Interns 1' }).waitFor()
  await page.goto(new URL(`/interns/${talk.id}/${sessionId}`, page.url()).href)
  await page.getByRole('article', { name: 'Question of ada' }).getByLabel('city').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByLabel('Message to ada').waitFor()
  const { entries } = (await talk.ask('GET', `/interns/${talk.id}/sessions/${sessionId}`)).body.data
  // Text that the agent sends after its cancellation follows.
  assert.equal(entries.findLast(({ type }: { type: string }) => type === 'end').outcome, 'cancelled')
  assert.deepEqual(faults, [])
})

test('waiting questions are counted on every screen, with a link to the inbox', options, async () => {
  const { sessionId, question } = await say(talk, talk.id, `permission wait ${every}`)
  for (const screen of ['requests', 'overview', 'models', 'chat', 'guardrails', 'keys', 'presets', 'service']) {
    await using watched = await open(`/${screen}`, { viewport: { width: 390, height: 800 }, key: talk.managementKey })
    const { page } = watched
    const badge = page.getByRole('link', { name: '1 question', exact: true })
    await badge.waitFor()
    const [left, right] = [
      await page.getByRole('button', { name: /^Screens/ }).boundingBox(),
      await badge.boundingBox(),
    ]
    assert.ok(
      left!.x + left!.width <= right!.x && right!.x + right!.width <= 390,
      JSON.stringify([screen, left, right]),
    )
    await badge.click()
    await page.getByRole('button', { name: 'Screens, current: Interns' }).waitFor()
    assert.deepEqual(watched.faults, [])
  }
  const messages = [{ role: 'tool', tool_call_id: question?.id, content: 'cancel' }]
  await talk.ask('POST', `/interns/${talk.id}/sessions/${sessionId}/chat/completions`, { body: { messages } })
})

test('a viewer sees waiting questions without actions', options, async () => {
  await talk.ask('PATCH', `/interns/${talk.id}`, { body: { visibility: 'workspace' } })
  const { sessionId, question } = await say(talk, talk.id, edit)
  await using watched = await open('/interns', { link: await linkForRole(talk, 'viewer'), key: undefined })
  const { page, faults } = watched
  await page.getByText('for Owner, asked').first().waitFor()
  for (const path of ['', `/${talk.id}`, `/${talk.id}/${sessionId}`]) {
    await page.goto(new URL(`/interns${path}`, page.url()).href)
    await page.getByText('Viewers cannot answer.').waitFor()
    assert.equal(await page.getByRole('main').getByRole('button').count(), 0)
    assert.equal(await page.getByRole('main').getByRole('textbox').count(), 0)
  }
  assert.deepEqual(faults, [])
  const messages = [{ role: 'tool', tool_call_id: question?.id, content: 'cancel' }]
  await talk.ask('POST', `/interns/${talk.id}/sessions/${sessionId}/chat/completions`, { body: { messages } })
})

test('an intern is suspended after a warning, read while suspended, and woken', options, async () => {
  await say(talk, talk.id, 'say what is kept')
  await using watched = await open('/interns')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Suspend ada' }).click()
  await page.getByRole('dialog').getByText('Files and sessions are kept').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
  await untilIntern(talk, talk.id, 'stopped')
  await page.getByRole('link', { name: 'ada', exact: true }).click()
  await page.getByRole('link', { name: 'say what is kept' }).click()
  await page.getByRole('list', { name: 'Transcript' }).getByText('what is kept', { exact: true }).waitFor()
  await page.getByText('The intern is not running').waitFor()
  await page.getByRole('link', { name: '← Interns' }).click()
  await page.getByRole('button', { name: 'Wake ada' }).click()
  await untilIntern(talk, talk.id, 'running')
  await page.getByRole('button', { name: 'Restart ada' }).waitFor()
  assert.deepEqual(faults, [])
})

for (const width of [390, 1280]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`interns are accessible at ${width} px in ${colorScheme}`, options, async () => {
      const look = { colorScheme, viewport: { width, height: 800 } }
      const turn = await say(
        talk,
        talk.id,
        `say Let me see.\nplan read, write\nwork edit a.txt {"after": "y\\n"}\n${edit}`,
      )
      const form = { type: 'object', properties: { days: { type: 'array', items: { enum: ['mon', 'tue'] } } } }
      const asks = await say(talk, talk.id, `ask ${JSON.stringify(form)}`)
      for (const path of ['', `/${talk.id}`, `/${talk.id}/${turn.sessionId}`]) {
        await using watched = await open(`/interns${path}`, look)
        const { page } = watched
        await page.locator('.inbox .added').getByText('+echo new').waitFor()
        assert.deepEqual(await accessibilityFaults(page), [])
        assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
        const folder = process.env.PICTURES
        if (folder) await page.screenshot({ path: `${folder}/${path.split('/').length}-${width}-${colorScheme}.png` })
        assert.deepEqual(watched.faults, [])
      }
      for (const { sessionId, question } of [turn, asks]) {
        const content = question?.arguments.kind === 'permission' ? 'cancel' : JSON.stringify({ action: 'cancel' })
        const messages = [{ role: 'tool', tool_call_id: question?.id, content }]
        await talk.ask('POST', `/interns/${talk.id}/sessions/${sessionId}/chat/completions`, { body: { messages } })
      }
    })
  }
}

test('without interns the command that creates one is shown', options, async () => {
  await using empty = await signedInPage(browser, talk, '/interns', { key: await strangerKey() })
  await empty.page.getByText('npx signalbox interns create ada').waitFor()
  assert.deepEqual(empty.faults, [])
})

test('an organization outside the programme sees who can change that', options, async () => {
  await talk.manage('PATCH', '/organization', { interns_programme: false })
  await using watched = await open('/interns')
  await watched.page.getByText('An owner can enable them').waitFor()
  await talk.manage('PATCH', '/organization', { interns_programme: true })
})

async function strangerKey(): Promise<string> {
  const { body } = await talk.manage('POST', '/workspaces', { name: 'Elsewhere', slug: 'elsewhere' })
  const created = await talk.manage('POST', '/keys', { name: 'stranger', workspace_id: body.data.id })
  return created.body.key
}
