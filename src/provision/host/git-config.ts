import type { GitAuthor } from '#interns/registry/git-author.ts'

/**
 * A system-wide configuration for git with a default author. Git reads this file instead of `/etc/gitconfig`, which this file
 * includes. So `/etc/gitconfig` and the configuration of the user and of the repository override the default author.
 */
export function createGitConfig({ name, email }: GitAuthor): string {
  return `[user]\n\tname = ${quote(name)}\n\temail = ${quote(email)}\n[include]\n\tpath = /etc/gitconfig\n`
}

/** Quotes a value. Control characters become spaces; git itself removes angle brackets from an author. */
const quote = (text: string) => `"${text.replace(/\p{Cc}+/gu, ' ').replace(/["\\]/g, '\\$&')}"`
