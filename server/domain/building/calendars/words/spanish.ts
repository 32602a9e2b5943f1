import type { CalendarWords } from './english.ts'

export const spanish: CalendarWords = {
  statuses: {
    not_started: 'Sin empezar',
    in_progress: 'En proceso',
    completed: 'Terminado',
    on_hold: 'En espera',
    skipped: 'No se hace',
  },
  unconfirmed: 'Fecha sin confirmar',
}
