/**
 * Whether a statement only reads, told by how its text begins; a `with` also by its parts. All texts are our own: one that
 * selects from a function which writes says so in a comment before it.
 */
export function isRead(text: string): boolean {
  return /^\s*(?:select\b|with\b(?!.*?\b(?:insert into|update|delete from)\b))/s.test(text)
}
