import { LINK_PLACEHOLDER } from '../../../office/mail/mail-link.ts'

type MailText = (builder: string, home: string, name: string) => { subject: string; text: string }

/** The texts of emails about access to the owner's page. `name` is the name of the recipient. */
export interface OwnerMailWords {
  /** Contains the home owner's link. */
  invitation: MailText
  /** Contains a one-time link that the home owner requested. */
  requested: MailText
  /** This email is sent to the previous address. */
  addressChanged: MailText
  accessEnded: MailText
  personAdded(builder: string, home: string, name: string, added: string): ReturnType<MailText>
}

export const english: OwnerMailWords = {
  invitation: (builder, home, name) => ({
    subject: `Your home: ${home}`,
    text: `Hello ${name},

${builder} has a page for your home, ${home}. There you see the schedule, choose options, sign changes, report what needs
fixing, and write to us:

${LINK_PLACEHOLDER}

The link is only for you. Please do not share it: anyone who has the link can act in your name.

${builder}
`,
  }),
  requested: (builder, home, name) => ({
    subject: `Your new link: ${home}`,
    text: `Hello ${name},

You asked for a new link to the page of your home, ${home}. Open this link within one hour:

${LINK_PLACEHOLDER}

The link works once, and your previous link then no longer works. If you did not ask for a new link, you can ignore this
email.

${builder}
`,
  }),
  addressChanged: (builder, home, name) => ({
    subject: `Your email address was changed: ${home}`,
    text: `Hello ${name},

${builder} has changed your email address for the page of your home, ${home}. The link that we sent to this address no
longer works.

If you did not ask for this change, please call ${builder} right away.

${builder}
`,
  }),
  accessEnded: (builder, home, name) => ({
    subject: `Your access has ended: ${home}`,
    text: `Hello ${name},

You no longer have access to the page of ${home}. The link that we sent to this address no longer works.

If you did not expect this, please call ${builder} right away.

${builder}
`,
  }),
  personAdded: (builder, home, name, added) => ({
    subject: `${added} now has access: ${home}`,
    text: `Hello ${name},

${added} now also has a link to the page of your home, ${home}. With the link, ${added} can choose options, sign changes,
and write to us.

If you do not know ${added}, please call ${builder} right away.

${builder}
`,
  }),
}
