/** The texts of the insurance reminder in one language. */
export interface ReminderWords {
  readonly subject: string
  readonly opening: string
  readonly closing: string
  expired(policy: string, date: string): string
  expires(policy: string, date: string): string
  /** The names of insurance policies, by document type. */
  readonly policies: Readonly<Record<string, string>>
}
