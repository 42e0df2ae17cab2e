import type { Tokens as Kinds, MarkedToken, Token } from 'marked'
import { type ComponentChild, h } from 'preact'

/** The elements of a parsed Markdown text. HTML in the text is displayed as text. */
export function Tokens({ tokens }: { tokens: Token[] | undefined }) {
  return <>{tokens?.map((token) => renderToken(token as MarkedToken))}</>
}

function renderToken(token: MarkedToken): ComponentChild {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return h(`h${token.depth}`, null, <Tokens tokens={token.tokens} />)
    case 'paragraph':
      return (
        <p>
          <Tokens tokens={token.tokens} />
        </p>
      )
    case 'code':
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      )
    case 'blockquote':
      return (
        <blockquote>
          <Tokens tokens={token.tokens} />
        </blockquote>
      )
    case 'list':
      return list(token)
    case 'table':
      return table(token)
    case 'hr':
      return <hr />
    case 'br':
      return <br />
    case 'codespan':
      return <code>{token.text}</code>
    case 'strong':
    case 'em':
    case 'del':
      return h(token.type, null, <Tokens tokens={token.tokens} />)
    case 'link':
      return link(token)
    case 'image':
      return image(token)
    case 'text':
      return token.tokens ? <Tokens tokens={token.tokens} /> : decodeEntities(token.text)
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ '
    case 'escape':
      return token.text
    default:
      return token.raw
  }
}

function list({ ordered, start, items }: Kinds.List): ComponentChild {
  const shownItems = items.map((item) => (
    <li>
      <Tokens tokens={item.tokens} />
    </li>
  ))
  return ordered ? <ol start={Number(start) || 1}>{shownItems}</ol> : <ul>{shownItems}</ul>
}

function table({ header, rows }: Kinds.Table): ComponentChild {
  const cells = (row: Kinds.TableCell[], name: 'th' | 'td') =>
    row.map(({ tokens }) => h(name, null, <Tokens tokens={tokens} />))
  return (
    <table>
      <thead>
        <tr>{cells(header, 'th')}</tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>{cells(row, 'td')}</tr>
        ))}
      </tbody>
    </table>
  )
}

/** Only http(s) and mailto links. Any other address is displayed without a link. */
const linkScheme = /^(?:https?:\/\/|mailto:)/i

function link({ href, tokens }: Kinds.Link): ComponentChild {
  if (!linkScheme.test(href)) return <Tokens tokens={tokens} />
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      <Tokens tokens={tokens} />
    </a>
  )
}

/** Loading an image from another host would reveal that the text is being read, so only data URLs are displayed. */
function image({ href, text }: Kinds.Image): ComponentChild {
  return href.startsWith('data:image/') ? <img src={href} alt={text} /> : text
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: '\u00a0' }

/** Decodes the entities that Markdown uses for its special characters. */
function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (whole, name: string) => entities[name] ?? whole)
}
