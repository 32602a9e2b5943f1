import { MAIL_LOCALES } from '../../office/message-templates/mail-locale.ts'
import type { VendorMessageWords } from './english.ts'

const WINDOWS = { am: ', por la mañana', pm: ', por la tarde', any: '' }

export const spanish: VendorMessageWords = {
  date: MAIL_LOCALES.es.date,
  revision: {
    subject: (sheetNumber) => `Cambió el plano ${sheetNumber}`,
    body: (sheet, label, orders) =>
      `${sheet} ahora es la revisión ${label}. Afecta a ${orders}. Use solo el plano vigente, que está en su portal.`,
  },
  visit: {
    subject: (home, date) => `Visita de servicio en ${home}, ${date}`,
    body: (date, window) => `Por favor confirme esta visita en su portal: ${date}${WINDOWS[window]}.`,
  },
  punch: {
    subject: (home) => `Por arreglar en ${home}`,
    opening: (count, home) => `Por favor arregle ${count === 1 ? 'esto' : `estas ${count} cosas`} en ${home}:`,
    due: (date) => `Vence el ${date}.`,
    more: (count) => `Y ${count} más.`,
    closing: 'Responda en su portal.',
  },
}
