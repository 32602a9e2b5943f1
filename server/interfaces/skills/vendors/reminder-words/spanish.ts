import type { ReminderWords } from './reminder-words.ts'

export const spanish: ReminderWords = {
  subject: 'Por favor envíe su nuevo certificado de seguro',
  opening: 'Según nuestros registros:',
  closing: 'Por favor envíe el nuevo certificado. El trabajo no puede comenzar sin él.',
  expired: (policy, date) => `${policy}: venció el ${date}`,
  expires: (policy, date) => `${policy}: vence el ${date}`,
  policies: {
    general_liability: 'Responsabilidad civil general',
    workers_comp: 'Compensación laboral',
    auto: 'Automóvil comercial',
    umbrella: 'Póliza paraguas',
  },
}
