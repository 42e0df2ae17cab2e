import { useRef, useState } from 'preact/hooks'
import { asFailure } from '../api/failure.ts'
import { canUseModelsAndInterns } from '../api/session.ts'
import { Problem } from '../components/page/problem.tsx'
import { isEnter, useShortcuts } from '../components/window/keyboard.ts'
import { draft, draftImages, isBusy, sendMessage, stop } from './conversation.ts'

/** Few providers accept larger requests. */
const maxImageBytes = 8_000_000

const readAsDataUrl = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result as string)
    reader.onerror = () => reject(new Error(`${file.name} could not be read.`))
    reader.readAsDataURL(file)
  })

/** The message input. Enter sends, Shift-Enter starts a line; images can be pasted. */
export function Composer({ models }: { models: string[] }) {
  if (!canUseModelsAndInterns())
    return (
      <p class="composer dim">Viewers cannot use models. An owner or admin of the organization can change your role.</p>
    )
  return <MessageForm models={models} />
}

function MessageForm({ models }: { models: string[] }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const images = draftImages.value
  const [problem, setProblem] = useState<string>()
  useShortcuts([
    { key: '/', description: 'focus the message field', onPress: () => field.current?.focus() },
    { key: 'Escape', description: 'stop the responses', onPress: stop },
  ])
  const send = () => {
    const text = draft.value.trim()
    if ((text === '' && images.length === 0) || models.length === 0 || isBusy.value) return
    try {
      sendMessage(models, text, images)
      draft.value = ''
      draftImages.value = []
      setProblem(undefined)
    } catch (error) {
      setProblem(asFailure(error).message)
    }
  }
  const attach = async (fileList: Iterable<File>) => {
    const files = [...fileList]
    const nonImage = files.find(({ type }) => !type.startsWith('image/'))
    if (nonImage) return setProblem(`${nonImage.name} is not an image.`)
    const oversizedFile = files.find(({ size }) => size > maxImageBytes)
    if (oversizedFile) return setProblem(`${oversizedFile.name} is larger than ${maxImageBytes / 1e6} MB.`)
    try {
      const newImages = await Promise.all(files.map(readAsDataUrl))
      draftImages.value = [...draftImages.peek(), ...newImages]
      setProblem(undefined)
    } catch (error) {
      setProblem(asFailure(error).message)
    }
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Problem text={problem} />
      {images.length > 0 && (
        <AttachedImages
          images={images}
          onRemove={(dropped) => {
            draftImages.value = images.filter((_, index) => index !== dropped)
          }}
        />
      )}
      <textarea
        ref={field}
        rows={3}
        aria-label="Message"
        placeholder={models.length === 0 ? 'Choose a model first' : 'Write a message. Press Enter to send.'}
        value={draft.value}
        onInput={(event) => {
          draft.value = event.currentTarget.value
        }}
        onKeyDown={(event) => {
          if (!isEnter(event) || event.shiftKey) return
          event.preventDefault()
          send()
        }}
        onPaste={(event) => void attach(event.clipboardData?.files ?? [])}
      />
      <div class="composer-actions">
        <input
          ref={picker}
          type="file"
          accept="image/*"
          multiple
          hidden
          aria-label="Images"
          onChange={({ currentTarget }) => {
            void attach(currentTarget.files ?? [])
            // Allows selecting the same file again.
            currentTarget.value = ''
          }}
        />
        <button type="button" onClick={() => picker.current?.click()}>
          Add image
        </button>
        {isBusy.value ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="submit" class="main" disabled={models.length === 0}>
            Send
          </button>
        )}
      </div>
    </form>
  )
}

function AttachedImages({ images, onRemove }: { images: string[]; onRemove: (index: number) => void }) {
  return (
    <div class="attached">
      {images.map((url, index) => (
        <button
          // Not the URL itself: a data URL can have megabytes, and can occur twice.
          key={`${index} ${url.length}`}
          type="button"
          aria-label={`Remove image ${index + 1}`}
          onClick={() => onRemove(index)}
        >
          <img src={url} alt="" /> ✕
        </button>
      ))}
    </div>
  )
}
