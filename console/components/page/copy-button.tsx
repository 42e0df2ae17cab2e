import type { ComponentChildren } from 'preact'
import { toast } from './toast.tsx'

/** Copies text to the clipboard and confirms it. */
async function copyText(text: string, message = 'Copied'): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // Without TLS the clipboard API is available only on localhost. `execCommand` still works.
    const field = document.createElement('textarea')
    field.value = text
    document.body.append(field)
    field.select()
    document.execCommand('copy')
    field.remove()
  }
  toast(message)
}

export function Copy({ text, message, children }: { text: string; message?: string; children: ComponentChildren }) {
  return (
    <button type="button" onClick={() => void copyText(text, message)}>
      {children}
    </button>
  )
}

/** A text, for example a command, with a button that copies it, and further buttons. */
export function CopyableText({ text, children }: { text: string; children?: ComponentChildren }) {
  return (
    <div class="paste">
      <pre>{text}</pre>
      <Copy text={text}>Copy</Copy>
      {children}
    </div>
  )
}
