import { useEffect, useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import type { ChatRequest } from '../api/types.ts'
import { useAction } from '../components/form/use-action.ts'
import { Problem } from '../components/page/problem.tsx'
import { emptyReply, type Reply } from '../components/reply/reply.ts'
import { ReplyView } from '../components/reply/reply-view.tsx'
import { streamReply } from '../components/reply/stream-reply.ts'
import type { Version } from './config-fields.ts'

/** A form that sends a message with the settings of a draft, which stays unsaved. */
export function DraftTrial({ slug, version, canSend }: { slug: string; version: Version; canSend: boolean }) {
  const [text, setText] = useState('')
  const [reply, setReply] = useState<Reply>()
  const [controller, setController] = useState<AbortController>()
  const { problem, isBusy, run } = useAction()
  useEffect(() => () => controller?.abort(), [controller])
  const send = () =>
    run(async () => {
      const newController = new AbortController()
      setController(newController)
      const { data } = await call('POST /presets/{slug}/preview', { params: { slug }, body: { settings: version } })
      const chat = data.chat as ChatRequest
      const messages = [...chat.messages, { role: 'user' as const, content: text }]
      setReply(emptyReply)
      const body = { ...chat, messages, stream: true, stream_options: { include_usage: true } }
      await streamReply(body, newController.signal, setReply)
      setController(undefined)
    })
  return (
    <section aria-label="Test the draft" class="preset-trial">
      <h2>Test the draft</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <textarea
          aria-label="Message"
          placeholder="Test message"
          rows={3}
          required
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <p>
          <button type="submit" disabled={isBusy || !canSend}>
            Send
          </button>{' '}
          {controller && (
            <button type="button" onClick={() => controller.abort()}>
              Stop
            </button>
          )}{' '}
          <span class="dim">Charged like any request. The draft is not saved.</span>
        </p>
      </form>
      <Problem text={problem} />
      {reply && <ReplyView name="the draft" reply={reply} onRetry={() => void send()} />}
    </section>
  )
}
