import {
  type PublishedSettings,
  type PublishOptions,
  publish,
} from "../../../src/features/cluster/publish.ts";

/** The settings of an account, and of its publication. */
export type AccountPublication = Omit<PublishedSettings, "publish"> &
  Omit<PublishedSettings["publish"], "user"> &
  PublishOptions;

export function publishAccount(publication: AccountPublication) {
  const { to, passwordFile, isPersonal, account, isThorough, clock, signal, ...settings } = publication;
  return publish(
    { ...settings, publish: { to, user: undefined, passwordFile, isPersonal } },
    { account, isThorough, signal, ...(clock && { clock }) },
  );
}
