const ABBREVIATIONS = ['hvac', 'ach', 'po', 'id', 'pdf', 'sms', 'url', 'sku', 'api', 'hoa', 'ip']

/** Names whose spelling or wording differs between the code and the pages. */
const SPELLINGS: Readonly<Record<string, string>> = { cancelled: 'canceled', refused: 'rejected', w9: 'W-9' }

/** Converts a name such as `pending_review` to words. */
export function humanizeName(name: string): string {
  const words = name
    .replaceAll(/[_-]/g, ' ')
    .split(' ')
    .map((word) => (ABBREVIATIONS.includes(word) ? word.toUpperCase() : (SPELLINGS[word] ?? word)))
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
