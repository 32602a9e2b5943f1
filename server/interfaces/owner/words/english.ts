import type {
  BuyerChangeStatus,
  PunchItemStatus,
  SelectionStatus,
  VisitStatus,
  WalkthroughKind,
  WarrantyRequestStatus,
  WarrantySeverity,
} from '../../../../client/contract.gen.ts'

/**
 * All English texts of the home owner's pages, except those of the frame, which the pages share with the vendor portal.
 */
export interface OwnerWords {
  conflicts: Readonly<
    Record<'deadline_passed' | 'changed_meanwhile' | 'limit_reached' | 'wrong_status' | 'in_use' | 'other', string>
  >
  /** Texts of the page on which an owner requests a new link. */
  link: {
    title: string
    ask: string
    email: string
    send: string
    sent: string
    sentHint: string
    wrong: string
    used: string
    usedHint: string
    open: string
    openHint: string
  }
  overview: {
    title(home: string): string
    ready(week: string): string
    todo: string
    nothingToDo: string
    schedule: string
    choices: string
    changes: string
    walkthroughs: string
    news: string
    photos: string
    warranty: string
    files: string
    messages: string
    all: string
    report: string
    write: string
    done: string
    weekOf(day: string): string
    by(day: string): string
    fromYou: string
  }
  choice: {
    asks: string
    price: string
    extra: string
    included: string
    noPrice: string
    room: string
    color: string
    until: string
    late: string
    tooLate: string
    decided: Readonly<Record<SelectionStatus, string>>
    approve: string
    decline: string
    why: string
  }
  change: {
    asks: string
    title(number: number): string
    total: string
    why: string
    states: Readonly<Record<Exclude<BuyerChangeStatus, 'draft'>, string>>
    approve: string
    decline: string
    reason: string
  }
  sign: {
    title: string
    name: string
    consent(name: string): string
    kept: string
    /** The heading of the text that was signed. */
    signed: string
    download: string
    /** The end of the signed text, with the timestamp in UTC. */
    closing(name: string, timestamp: string): string
  }
  walk: {
    kinds: Readonly<Record<WalkthroughKind, string>>
    asks: string
    items: string
    noItems: string
    sign: string
    signed(name: string, day: string): string
    open: string
    states: Readonly<Record<PunchItemStatus, string>>
  }
  warranty: {
    covered: string
    until(day: string): string
    title: string
    emergency: string
    what: string
    room: string
    howUrgent: string
    severities: Readonly<Record<WarrantySeverity, string>>
    photo: string
    photoHint: string
    addPhoto: string
    send: string
    states: Readonly<Record<WarrantyRequestStatus, string>>
    decision: string
    answerBy(day: string): string
    visit: string
    visits: Readonly<Record<VisitStatus, string>>
    windows: Readonly<Record<'am' | 'pm' | 'any', string>>
    fixedAsk: string
    fixed: string
    notFixed: string
    stillWrong: string
    sendBack: string
  }
  log: { weather: Readonly<Record<'clear' | 'cloudy' | 'rain' | 'snow' | 'wind', string>> }
}

export const english: OwnerWords = {
  conflicts: {
    deadline_passed:
      'The deadline for this choice has passed. If you want to change your choice, please write to the builder.',
    changed_meanwhile:
      'The page changed after you opened it. Please read the page again before you respond. If you see this message again, please write to the builder.',
    limit_reached: 'You have reached the limit for now. Please call the builder.',
    wrong_status: 'You already responded. The page shows your response.',
    in_use: 'This choice is part of a change order. Please sign or decline the change order instead.',
    other: 'This is not possible right now. Please write to the builder.',
  },
  link: {
    title: 'The page of your home',
    ask: 'You lost your link? Enter the email address to which your builder sent it. We send you a new link.',
    email: 'Email address',
    send: 'Send me a new link',
    sent: 'Check your email',
    sentHint: 'If a builder knows this address, you will receive an email with a new link. If not, call your builder.',
    wrong: 'This is not an email address.',
    used: 'This link is no longer valid.',
    usedHint: 'A link works once and within one hour. Ask for another link.',
    open: 'Open my page',
    openHint: 'You get a new link to the page of your home. Your previous link no longer works after that.',
  },
  overview: {
    title: (home) => `Your home: ${home}`,
    ready: (week) => `Planned completion: week of ${week}.`,
    todo: 'Waiting for you',
    nothingToDo: 'Nothing is waiting for you.',
    schedule: 'Schedule',
    choices: 'Your choices',
    changes: 'Changes',
    walkthroughs: 'Walkthroughs',
    news: 'News from the site',
    photos: 'Photos',
    warranty: 'Warranty',
    files: 'Documents',
    messages: 'Messages',
    all: 'Show all',
    report: 'Report a problem',
    write: 'Write to the builder',
    done: 'Done',
    weekOf: (day) => `week of ${day}`,
    by: (day) => `by ${day}`,
    fromYou: 'from you',
  },
  choice: {
    asks: 'Please decide',
    price: 'Price',
    extra: 'Added to the price of your home',
    included: 'No extra cost',
    noPrice: 'The builder will tell you the price',
    room: 'Room',
    color: 'Color',
    until: 'Please answer by',
    late: 'The deadline has passed. If you want to change your choice, please write to the builder.',
    decided: {
      pending: 'Waiting for you',
      approved: 'You chose this',
      declined: 'You do not want this',
      ordered: 'Ordered',
      installed: 'Installed',
      cancelled: 'Canceled',
    },
    tooLate: 'Not chosen in time',
    approve: 'Yes, I want this',
    decline: 'No, thank you',
    why: 'Reason',
  },
  change: {
    asks: 'Please read this change order. Then sign it or decline it.',
    title: (number) => `Change ${number}`,
    total: 'Added to the price of your home',
    why: 'About this change',
    states: {
      sent: 'Waiting for your signature',
      approved: 'You approved this change',
      declined: 'You declined this change',
      void: 'Canceled',
    },
    approve: 'Sign and approve',
    decline: 'Decline',
    reason: 'Reason',
  },
  sign: {
    title: 'Your signature',
    name: 'Type your full name',
    consent: (name) => `I am ${name}, or I act for ${name}, and I agree to sign electronically.`,
    kept: 'The builder keeps a copy of what you signed, with the date.',
    signed: 'What you signed',
    download: 'Download as PDF',
    closing: (name, timestamp) =>
      `Signed by ${name} at ${timestamp}, electronically and with consent to signing electronically.`,
  },
  walk: {
    kinds: {
      quality: 'Quality walkthrough',
      orientation: 'Home orientation',
      final: 'Final walkthrough',
      eleven_month: 'Eleven-month walkthrough',
    },
    asks: 'Please check that the list is complete, and then sign it.',
    items: 'List',
    noItems: 'No problems were found.',
    sign: 'Sign the list',
    signed: (name, day) => `Signed by ${name} on ${day}`,
    open: 'Not signed yet',
    states: {
      open: 'to do',
      assigned: 'in work',
      fixed: 'fixed, to be checked',
      verified: 'done',
      cancelled: 'canceled',
    },
  },
  warranty: {
    covered: 'What is covered',
    until: (day) => `until ${day}`,
    title: 'Report a problem',
    emergency:
      'If there is a fire, a smell of gas, or other danger, leave the home and call 911 first. If water is leaking, close the main valve first.',
    what: 'What is wrong?',
    room: 'Where?',
    howUrgent: 'How urgent is it?',
    severities: {
      routine: 'It can wait some days',
      urgent: 'Soon, it is getting worse',
      emergency: 'Emergency: no water, heat or power, or a leak',
    },
    photo: 'Photo',
    photoHint: 'optional, it helps us',
    addPhoto: 'Add a photo',
    send: 'Send report',
    states: {
      new: 'Sent, we will answer',
      accepted: 'Accepted',
      not_covered: 'Not covered',
      assigned: 'Somebody is assigned',
      scheduled: 'A visit is planned',
      completed: 'Repaired, please confirm',
      closed: 'Closed',
      cancelled: 'Canceled',
    },
    decision: 'What the builder says',
    answerBy: (day) => `You will get an answer by ${day}.`,
    visit: 'Visit',
    visits: {
      proposed: 'planned, not confirmed yet',
      confirmed: 'confirmed',
      done: 'took place',
      missed: 'did not take place',
      cancelled: 'canceled',
    },
    windows: { am: 'morning', pm: 'afternoon', any: '' },
    fixedAsk: 'Is the problem fixed? If you do not answer, the report closes after 10 days.',
    fixed: 'Yes, it is fixed',
    notFixed: 'No, it is not fixed',
    stillWrong: 'What is still wrong?',
    sendBack: 'Send',
  },
  log: { weather: { clear: 'Clear', cloudy: 'Cloudy', rain: 'Rain', snow: 'Snow', wind: 'Windy' } },
}
