import type { PlaceholderValues } from '../../../platform/values/placeholders.ts'
import type { TemplateWording } from './default-templates.ts'
import type { NoticeWords } from './mail-locale.ts'
import type { MailTemplateKind } from './spanish-templates.ts'

/** The Spanish texts of emails to vendors, in the words of building sites in the United States. */

const SIGNATURE = '{{builder.name}}'
const RESPONSES = 'Vamos a cotizar: {{willBidUrl}}\nNo, gracias: {{passUrl}}'

/** The default wordings for vendors whose language is Spanish, with the placeholders of the English wordings. */
export const SPANISH_TEMPLATES: Readonly<Record<MailTemplateKind, TemplateWording>> = {
  message: { subject: '{{message.subject}}', body: '{{message.body}}\n\n{{portalUrl}}' },
  portal_invitation: {
    subject: '{{builder.name}} lo invita a su portal de proveedores',
    body: `{{vendor.companyName}}:\n\n{{builder.name}} lo invita a su portal de proveedores. Ahí puede ver sus solicitudes de cotización, órdenes y fechas. No comparta este enlace: quien lo tenga puede actuar por usted.\n\n{{portalUrl}}\n\n${SIGNATURE}`,
  },
  bid_invitation: {
    subject: 'Invitación a cotizar: {{bidRequest.number}} {{bidRequest.title}}',
    body: `{{vendor.companyName}}:\n\n{{builder.name}} lo invita a cotizar {{bidRequest.number}} ({{bidRequest.title}}). Se reciben cotizaciones hasta el {{bidRequest.deadline}}.\n\n{{message}}\n\n{{portalUrl}}\n\n${RESPONSES}\n\n${SIGNATURE}`,
  },
  bid_reminder: {
    subject: 'Recordatorio: {{bidRequest.number}} {{bidRequest.title}}, cotizaciones hasta el {{bidRequest.deadline}}',
    body: `{{vendor.companyName}}:\n\n{{builder.name}} espera su cotización de {{bidRequest.number}} ({{bidRequest.title}}). Se reciben cotizaciones hasta el {{bidRequest.deadline}}.\n\n{{message}}\n\n{{portalUrl}}\n\n${RESPONSES}\n\n${SIGNATURE}`,
  },
  bid_receipt: {
    subject: 'Recibo de su cotización: {{bidRequest.number}} {{bidRequest.title}}',
    body: `{{vendor.companyName}}:\n\n{{builder.name}} recibió su cotización de {{bidRequest.number}} ({{bidRequest.title}}).\n\n{{bid.summary}}\n\nEste enlace muestra todo lo que usted mandó:\n\n{{portalUrl}}\n\n${SIGNATURE}`,
  },
  lien_waiver: {
    subject: 'Por favor firme la renuncia de gravamen (lien waiver) de {{payment.number}}',
    body: `{{vendor.companyName}}:\n\n{{builder.name}} le pide que firme una renuncia de gravamen (lien waiver) por el pago {{payment.number}} de {{payment.amount}}, por trabajos hasta el {{waiver.throughDate}}. Puede leerla y firmarla en el portal. Use el enlace del portal que ya recibió.\n\n${SIGNATURE}`,
  },
  advance: {
    subject: '{{home.name}}: {{work}}, desde el {{date}}',
    body: `{{vendor.companyName}}:\n\nUstedes están programados en {{home.name}} desde el {{date}}: {{work}}.\n\n{{message}}\n\n${SIGNATURE}`,
  },
  reminder: {
    subject: 'Recordatorio: {{home.name}}, {{work}}, desde el {{date}}',
    body: `{{vendor.companyName}}:\n\nLe recordamos que ustedes están programados en {{home.name}} desde el {{date}}: {{work}}.\n\n{{message}}\n\n${SIGNATURE}`,
  },
  moved_earlier: {
    subject: '{{home.name}}: se adelantó al {{date}}',
    body: `{{vendor.companyName}}:\n\nCambió el calendario de {{home.name}}. Ahora los necesitamos antes:\n\n{{work}}\n\n{{message}}\n\n${SIGNATURE}`,
  },
  postponed: {
    subject: '{{home.name}}: se pospuso al {{date}}',
    body: `{{vendor.companyName}}:\n\nCambió el calendario de {{home.name}}. Ahora los necesitamos después:\n\n{{work}}\n\n{{message}}\n\n${SIGNATURE}`,
  },
}

/** Sample values of placeholders in previews. */
export const SPANISH_SAMPLES: PlaceholderValues = {
  'message.subject': 'Estructura del lote 14',
  'message.body': 'La losa está lista. ¿Pueden empezar el martes?',
  message: 'Por favor estaciónense en la calle.',
  'bidRequest.title': 'Estructura, lote 14',
  'bidRequest.scope': 'estructura',
  work: 'Armar las paredes',
}

export const SPANISH_NOTICE_WORDS: NoticeWords = {
  work: 'trabajo',
  insteadOf: (date, before) => `${date}, en vez del ${before}`,
  confirmDate: 'Por favor confirme esta fecha.',
}
