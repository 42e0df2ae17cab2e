import type { ComponentChildren } from 'preact'
import { toast } from './toast.tsx'

/** Puts a text on the clipboard, and says so. */
export async function copyText(text: string, what = 'Copied'): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // Without TLS, except on this machine, pages get no clipboard: this older way still works there.
    const field = document.createElement('textarea')
    field.value = text
    document.body.append(field)
    field.select()
    document.execCommand('copy')
    field.remove()
  }
  toast(what)
}

export function Copy({ text, what, children }: { text: string; what?: string; children: ComponentChildren }) {
  return (
    <button type="button" onClick={() => void copyText(text, what)}>
      {children}
    </button>
  )
}
