import { useEffect, useState } from 'preact/hooks'

type Render = (text: string) => string

let renderer: Promise<Render> | undefined

/** Loaded when the first text is to be shown. What comes out is clean, and as a trusted type the only markup let in. */
function loadRenderer(): Promise<Render> {
  renderer ??= Promise.all([import('marked'), import('dompurify')]).then(([{ Marked }, { default: purify }]) => {
    // Markup within the text is shown as it was written.
    const marked = new Marked({ gfm: true, breaks: true, renderer: { html: ({ text }) => escaped(text) } })
    purify.addHook('afterSanitizeAttributes', (node) => {
      // An address of somebody else would tell them that this is being read.
      if (node.tagName === 'IMG' && !node.getAttribute('src')?.startsWith('data:image/')) node.removeAttribute('src')
      if (node.tagName !== 'A') return
      node.setAttribute('target', '_blank')
      node.setAttribute('rel', 'noopener noreferrer')
    })
    return (text) =>
      purify.sanitize(marked.parse(text, { async: false }), {
        USE_PROFILES: { html: true },
        FORBID_TAGS: [
          'style',
          'form',
          'input',
          'button',
          'select',
          'textarea',
          'dialog',
          'video',
          'audio',
          'picture',
          'source',
        ],
        FORBID_ATTR: ['style', 'class', 'id', 'name', 'srcset', 'background', 'poster', 'ping'],
        RETURN_TRUSTED_TYPE: true,
      }) as unknown as string
  })
  return renderer
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** A text that a model, a user or an agent wrote, as the markup that it means; nothing in it acts. */
export function Markdown({ text }: { text: string }) {
  const [render, setRender] = useState<{ render: Render }>()
  useEffect(() => {
    let isGone = false
    void loadRenderer().then((loaded) => !isGone && setRender({ render: loaded }))
    return () => {
      isGone = true
    }
  }, [])
  if (!render) return <div class="markdown plain">{text}</div>
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: render.render(text) }} />
}
