const comments = /(?<!:)\/\/[^\n]*|\/\*[\s\S]*?\*\//g
/** A name in camel case. Names of one word can be words of a protocol or a setting. */
const quotedName = /`([a-z]+[A-Z]\w*)`/g

/** Names of Kubernetes and of libraries, which our code does not use. */
const foreignNames = new Set(['hostPath'])

/** Returns the names in the comments of code that no code uses, such as the former name of a parameter. */
export function findUnknownNames(files: ReadonlyMap<string, string>): string[] {
  const used = new Set<string>()
  for (const text of files.values()) for (const [name] of text.replace(comments, '').matchAll(/\w+/g)) used.add(name)
  return [...files].flatMap(([path, text]) =>
    (text.match(comments) ?? [])
      .flatMap((comment) => [...comment.matchAll(quotedName)])
      .flatMap(([, name]) => (used.has(name!) || foreignNames.has(name!) ? [] : [`${path}: \`${name}\``])),
  )
}
