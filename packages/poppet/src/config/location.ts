/** Where the settings file and the data folder are: Poppet's own variables first, then the XDG folders. */
import { PoppetError } from "../error.ts";

export type Environment = { readonly [name: string]: string | undefined };

export function configFile(env: Environment): string {
  const named = env.POPPET_CONFIG;
  return named ? absolute(named) : `${xdg(env, "XDG_CONFIG_HOME", ".config")}/poppet/config.toml`;
}

export function dataFolder(env: Environment): string {
  const named = env.POPPET_HOME;
  return named ? absolute(named) : `${xdg(env, "XDG_DATA_HOME", ".local/share")}/poppet`;
}

export function folderOf(path: string): string {
  const end = path.lastIndexOf("/");
  return end > 0 ? path.slice(0, end) : "/";
}

/** A relative path in an XDG variable is to be ignored, says its specification. */
function xdg(env: Environment, name: string, below: string): string {
  const named = env[name];
  if (named?.startsWith("/")) return trimmed(named);
  const home = env.HOME;
  if (home?.startsWith("/")) return `${trimmed(home)}/${below}`.replace("//", "/");
  throw new PoppetError(
    "config_unreadable",
    "No home folder is known: set HOME, or POPPET_HOME and POPPET_CONFIG, to an absolute path.",
  );
}

function absolute(path: string): string {
  return trimmed(path.startsWith("/") ? path : `${process.cwd()}/${path}`);
}

function trimmed(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, "") || "/" : path;
}
