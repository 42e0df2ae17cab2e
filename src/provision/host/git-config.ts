import type { GitAuthor } from '#interns/registry/git-author.ts'

/**
 * A system-wide configuration for git with a default author, which replaces `/etc/gitconfig`. That file, the user's
 * configuration and the repository's take precedence.
 */
export function createGitConfig({ name, email }: GitAuthor): string {
  return `[user]\n\tname = ${quote(name)}\n\temail = ${quote(email)}\n[include]\n\tpath = /etc/gitconfig\n`
}

/** Quotes a value. Control characters become spaces; git itself removes angle brackets from an author. */
const quote = (text: string) => `"${text.replace(/\p{Cc}+/gu, ' ').replace(/["\\]/g, '\\$&')}"`
