import { LINK_PLACEHOLDER } from '../../../office/mail/mail-link.ts'
import type { OwnerMailWords } from './english.ts'

export const spanish: OwnerMailWords = {
  invitation: (builder, home, name) => ({
    subject: `Su casa: ${home}`,
    text: `Hola ${name}:

${builder} tiene una página para su casa, ${home}. Ahí puede ver el calendario, elegir opciones, firmar cambios, avisar de
lo que hay que reparar y escribirnos:

${LINK_PLACEHOLDER}

El enlace es solo para usted. Por favor no lo comparta: quien tenga el enlace puede actuar en su nombre.

${builder}
`,
  }),
  requested: (builder, home, name) => ({
    subject: `Su nuevo enlace: ${home}`,
    text: `Hola ${name}:

Usted pidió un nuevo enlace para la página de su casa, ${home}. Abra este enlace dentro de una hora:

${LINK_PLACEHOLDER}

El enlace funciona una sola vez, y después su enlace anterior deja de funcionar. Si usted no pidió un nuevo enlace, puede
ignorar este correo.

${builder}
`,
  }),
  addressChanged: (builder, home, name) => ({
    subject: `Su correo electrónico cambió: ${home}`,
    text: `Hola ${name}:

${builder} cambió su correo electrónico para la página de su casa, ${home}. El enlace que enviamos a esta dirección ya no
funciona.

Si usted no pidió este cambio, por favor llame a ${builder} de inmediato.

${builder}
`,
  }),
  accessEnded: (builder, home, name) => ({
    subject: `Su acceso terminó: ${home}`,
    text: `Hola ${name}:

Usted ya no tiene acceso a la página de ${home}. El enlace que enviamos a esta dirección ya no funciona.

Si no esperaba esto, por favor llame a ${builder} de inmediato.

${builder}
`,
  }),
  personAdded: (builder, home, name, added) => ({
    subject: `${added} ahora tiene acceso: ${home}`,
    text: `Hola ${name}:

${added} ahora también tiene un enlace a la página de su casa, ${home}. Con el enlace, ${added} puede elegir opciones,
firmar cambios y escribirnos.

Si no conoce a ${added}, por favor llame a ${builder} de inmediato.

${builder}
`,
  }),
}
