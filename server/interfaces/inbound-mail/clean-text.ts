import { truncateText } from '../../platform/values/placeholders.ts'

/** Returns the beginning of a text, without the NUL characters that the database rejects. */
export function cleanText(text: string, max: number): string {
  return truncateText(text.replaceAll('\0', ''), max)
}
