import XMLBuilder from 'fast-xml-builder'
import type { Model } from '../index/model.ts'

/** URLs of pages for people, for the links of the feed. */
export type FeedLinks = {
  /** The feed's own address. */
  self: string
  /** The page of all models. */
  home: string
  /** The page of one model, or a chat with it. */
  item: (model: Model) => string
}

export const feedType = 'application/rss+xml; charset=utf-8'

const builder = new XMLBuilder({ ignoreAttributes: false, suppressEmptyNode: true })

/** Returns the models as an RSS 2.0 feed. Names are escaped, and characters that XML cannot represent are removed. */
export function modelFeed(models: Model[], links: FeedLinks): Buffer {
  const self = { '@_href': validXmlText(links.self), '@_rel': 'self', '@_type': 'application/rss+xml' }
  const channel = {
    title: 'Models',
    link: validXmlText(links.home),
    description: 'The models of this service.',
    'atom:link': self,
    item: models.map((model) => feedItem(model, links)),
  }
  const document = {
    '?xml': { '@_version': '1.0', '@_encoding': 'UTF-8' },
    rss: { '@_version': '2.0', '@_xmlns:atom': 'http://www.w3.org/2005/Atom', channel },
  }
  return Buffer.from(builder.build(document))
}

function feedItem(model: Model, links: FeedLinks) {
  return {
    title: validXmlText(`${model.name} (${model.id})`),
    link: validXmlText(links.item(model)),
    guid: { '@_isPermaLink': 'false', '#text': validXmlText(model.canonicalSlug) },
    pubDate: new Date(model.created * 1000).toUTCString(),
    description: validXmlText(model.description ?? model.name),
  }
}

/** Removes control characters, lone surrogates and the two non-characters, which XML 1.0 does not allow even if escaped. */
function validXmlText(text: string): string {
  return text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
}
