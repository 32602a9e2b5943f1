import { truncateText } from '../../platform/values/placeholders.ts'

/** Returns the beginning of a text, without NUL characters, which the database rejects. */
export function cleanText(text: string, max: number): string {
  return truncateText(text.replaceAll('\0', ''), max)
}
