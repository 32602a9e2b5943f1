import type { ReminderWords } from './reminder-words.ts'

export const english: ReminderWords = {
  subject: 'Please send your new certificate of insurance',
  opening: 'Our records show:',
  closing: 'Please send the new certificate. Work cannot start without it.',
  expired: (policy, date) => `${policy}: expired on ${date}`,
  expires: (policy, date) => `${policy}: expires on ${date}`,
  policies: {
    general_liability: 'General liability',
    workers_comp: 'Workers’ compensation',
    auto: 'Commercial auto',
    umbrella: 'Umbrella',
  },
}
